// Makes the asked picture of a decoded frame: scaled, converted, turned, encoded. One a thread.
#pragma once

namespace nvrd::codec {

class PictureMaker {};

}  // namespace nvrd::codec
