// Prints the CRC-32 of the first bytes of standard input, for each length and start that its arguments name (LENGTH:START).
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "../../../native/volume/crc32.h"

int main(int count, char** cases) {
  std::vector<uint8_t> bytes(1 << 20);
  bytes.resize(fread(bytes.data(), 1, bytes.size(), stdin));
  for (int at = 1; at < count; at++) {
    char* colon = nullptr;
    const size_t length = strtoul(cases[at], &colon, 10);
    const size_t start = strtoul(colon + 1, nullptr, 10);
    if (start + length > bytes.size()) return 1;
    printf("%08x\n", nvrd::crc32::Update(0x12345678, bytes.data() + start, length));
  }
}
