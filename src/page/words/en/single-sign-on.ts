export const words = {
  logInWith: (place: string) => `Log in with ${place}`,
  refused:
    "You were not logged in: the provider refused, the login took too long, or none of your groups has rights here.",
  unavailable:
    "The provider of logins does not answer now. Try again later, or log in with name and password.",
};
