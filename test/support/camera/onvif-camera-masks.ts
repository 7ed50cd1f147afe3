/** What a scripted camera takes of masks. */
export interface MaskBounds {
  readonly masksMax?: number;
  readonly pointsMax?: number;
  readonly isRectangleOnly?: boolean;
  readonly types?: readonly string[];
}

/** The privacy masks of a scripted camera (ONVIF Media2): each kept as it was sent, in the elements of the service. */
export class ScriptedMasks {
  readonly #bounds: MaskBounds | undefined;
  /** Elements of masks by their tokens. */
  readonly kept = new Map<string, string>();
  /** Operations that changed something, with the token. */
  readonly commands: string[] = [];
  #next = 1;

  constructor(bounds: MaskBounds | undefined) {
    this.#bounds = bounds;
  }

  /** A mask that somebody drew on the camera's own page, corners from -1 to 1. */
  put(token: string, points: readonly (readonly [number, number])[]): void {
    const corners = points.map(([x, y]) => `<tt:Point x="${x}" y="${y}"/>`).join("");
    this.kept.set(
      token,
      `<tr2:ConfigurationToken>vsc_1</tr2:ConfigurationToken><tr2:Polygon>${corners}</tr2:Polygon><tr2:Type>Color</tr2:Type><tr2:Color X="16" Y="128" Z="128" Colorspace="http://www.onvif.org/ver10/colorspace/YCbCr"/><tr2:Enabled>true</tr2:Enabled>`,
    );
  }

  /** Undefined: the camera has no such operation, or no masks. */
  answer(operation: string, body: string): string | undefined {
    if (this.#bounds === undefined) return undefined;
    switch (operation) {
      case "GetMaskOptions":
        return this.#options(this.#bounds);
      case "GetMasks":
        return `<tr2:GetMasksResponse>${[...this.kept].map(([token, mask]) => `<tr2:Masks token="${token}">${mask}</tr2:Masks>`).join("")}</tr2:GetMasksResponse>`;
      case "CreateMask":
        return this.#create(body);
      case "SetMask":
        return this.#change(operation, /Mask token="([^"]*)"/.exec(body)?.[1], (token) =>
          this.kept.set(token, contentOf(body)),
        );
      case "DeleteMask":
        return this.#change(operation, /Token>([^<]*)</.exec(body)?.[1], (token) => this.kept.delete(token));
      default:
        return undefined;
    }
  }

  #options({ masksMax = 4, pointsMax = 8, isRectangleOnly = false, types = ["Color"] }: MaskBounds): string {
    const names = types.map((type) => `<tr2:Types>${type}</tr2:Types>`).join("");
    return `<tr2:GetMaskOptionsResponse><tr2:Options RectangleOnly="${isRectangleOnly}"><tr2:MaxMasks>${masksMax}</tr2:MaxMasks><tr2:MaxPoints>${pointsMax}</tr2:MaxPoints>${names}<tr2:Color/></tr2:Options></tr2:GetMaskOptionsResponse>`;
  }

  /** A camera that has as many as it takes refuses one more. */
  #create(body: string): string | undefined {
    if (this.kept.size >= (this.#bounds?.masksMax ?? 4)) return undefined;
    const token = `mask_${this.#next}`;
    this.#next += 1;
    this.kept.set(token, contentOf(body));
    this.commands.push(`CreateMask ${token}`);
    return `<tr2:CreateMaskResponse><tr2:Token>${token}</tr2:Token></tr2:CreateMaskResponse>`;
  }

  #change(operation: string, token: string | undefined, act: (token: string) => void): string | undefined {
    if (token === undefined || !this.kept.has(token)) return undefined;
    act(token);
    this.commands.push(`${operation} ${token}`);
    return `<tr2:${operation}Response/>`;
  }
}

/** As the recorder wrote it, with the camera's prefix. */
function contentOf(body: string): string {
  const [, content = ""] = /<m:Mask\b[^>]*>(.*)<\/m:Mask>/s.exec(body) ?? [];
  return content.replaceAll("<m:", "<tr2:").replaceAll("</m:", "</tr2:");
}
