import VitrineMath
import VitrineScene
import VitrineVideo
import VitrineVision

extension CapturedImage {
    /// A frame of a `VideoReader` with planar pixels.
    init(frame bytes: [UInt8], of reader: VideoReader) {
        let (probe, pixels) = (reader.probe, reader.width * reader.height)
        self.init(
            luma: Plane(width: reader.width, height: reader.height, values: Array(bytes[0..<pixels])), chroma: Array(bytes[pixels...]),
            matrix: probe.isBT709 ? .bt709 : .bt601, range: probe.isFullRange ? .full : .video)
    }

    /// Converts interleaved Y, Cb, Cr at full size (JPEG: BT.601 in full range); averages chroma over 2 × 2 pixels.
    init(width: Int, height: Int, yCbCr values: [UInt8]) {
        self.init(width: width, height: height) { pixel in
            (values[3 * pixel], values[3 * pixel + 1], values[3 * pixel + 2])
        }
    }

    /// Converts RGB; truncates 16 bits to 8, clamps floats to 0…1, ignores alpha.
    init(_ image: Image) {
        let bytes = image.bytes
        switch image.format {
        case .rgba8:
            self.init(width: image.width, height: image.height) { pixel in
                Self.yCbCr(bytes[4 * pixel], bytes[4 * pixel + 1], bytes[4 * pixel + 2])
            }
        case .rgba16:
            self.init(width: image.width, height: image.height) { pixel in
                Self.yCbCr(bytes[8 * pixel + 1], bytes[8 * pixel + 3], bytes[8 * pixel + 5])
            }
        case .rgba32Float:
            self.init(width: image.width, height: image.height) { pixel in
                func level(_ channel: Int) -> UInt8 {
                    let bits = (0..<4).reduce(UInt32(0)) { $0 | UInt32(bytes[16 * pixel + 4 * channel + $1]) << (8 * $1) }
                    let value = Float(bitPattern: bits)
                    return value.isFinite ? UInt8(min(max(value, 0), 1) * 255 + 0.5) : 0
                }
                return Self.yCbCr(level(0), level(1), level(2))
            }
        }
    }

    private init(width: Int, height: Int, sample: (Int) -> (UInt8, UInt8, UInt8)) {
        let (chromaWidth, chromaHeight) = ((width + 1) / 2, (height + 1) / 2)
        var luma = Plane<UInt8>(width: width, height: height, repeating: 0)
        var chroma = [UInt8](repeating: 0, count: 2 * chromaWidth * chromaHeight)
        for y in 0..<chromaHeight {
            for x in 0..<chromaWidth {
                var (blue, red, count) = (0, 0, 0)
                for row in 2 * y..<min(2 * y + 2, height) {
                    for column in 2 * x..<min(2 * x + 2, width) {
                        let (l, cb, cr) = sample(row * width + column)
                        luma.values[row * width + column] = l
                        (blue, red, count) = (blue + Int(cb), red + Int(cr), count + 1)
                    }
                }
                chroma[2 * (y * chromaWidth + x)] = UInt8((blue + count / 2) / count)
                chroma[2 * (y * chromaWidth + x) + 1] = UInt8((red + count / 2) / count)
            }
        }
        self.init(luma: luma, chroma: chroma)
    }

    /// The image in RGB, `.rgba8` and opaque; each pixel has the chroma of its 2 × 2 block.
    package func makeImage() throws -> Image {
        let levels = LightLevels(self)
        let (width, height) = (self.width, self.height)
        let bytes = [UInt8](unsafeUninitializedCapacity: 4 * width * height) { target, count in
            for y in 0..<height {
                for x in 0..<width {
                    let color = encodedColor(x: x, y: y, levels) * 255
                    let at = 4 * (y * width + x)
                    for channel in 0..<3 { target[at + channel] = UInt8(clamp(color[channel], 0, 255) + 0.5) }
                    target[at + 3] = 255
                }
            }
            count = 4 * width * height
        }
        return try Image(width: width, height: height, format: .rgba8, bytes: bytes)
    }

    /// BT.601 in full range (JFIF), in 16-bit fixed point.
    private static func yCbCr(_ red: UInt8, _ green: UInt8, _ blue: UInt8) -> (UInt8, UInt8, UInt8) {
        let (r, g, b) = (Int(red), Int(green), Int(blue))
        let y = (19595 * r + 38470 * g + 7471 * b + 32768) >> 16
        let cb = (-11059 * r - 21709 * g + 32768 * b + (128 << 16) + 32767) >> 16
        let cr = (32768 * r - 27439 * g - 5329 * b + (128 << 16) + 32767) >> 16
        return (UInt8(y), UInt8(min(max(cb, 0), 255)), UInt8(min(max(cr, 0), 255)))
    }
}
