import VitrineFiles
import VitrineMath
import VitrineScene
import VitrineVision

/// The sky of an outdoor photo, which has no depth: smooth, connected to the photo's upper edge, and of a luminance that no lit interior has.
///
/// The luminance follows from the exposure: 18 % of the range is `K · 2^EV / 100` cd/m², with EV at ISO 100 and the constant K = 12.5 of reflected-light
/// meters (ISO 2720). Photos without exposure data have no sky.
struct Sky: Equatable, Sendable {
    /// The sRGB-encoded level of the darkest sky, 0…255.
    private let leastLevel: Float
    /// Rotates the stored photo upright.
    private let orientation: PhotoOrientation

    /// cd/m². A clear sky has 2,000 to 10,000, a bright dull one 1,000, a wall of a lit interior below 300.
    private static let leastLuminance = 800.0
    /// Linear; shaded parts of buildings are darker than this.
    private static let leastValue: Float = 0.15
    /// The largest difference of neighbours at `reach` pixels in the smooth part, levels of 255.
    private static let smoothness: Float = 6
    private static let reach = 2
    /// The longer side of the image that is searched, pixels.
    private static let side = 640

    /// nil if a sky would be overexposed beyond recognition: in photos of dark rooms.
    ///
    /// - Parameter exposureValue: At ISO 100.
    init?(exposureValue: Double, orientation: PhotoOrientation) {
        let value = Float(0.18 * Sky.leastLuminance / (0.125 * pow(2, exposureValue)))
        guard value.isFinite, value < 0.9 else { return nil }
        let linear = max(value, Sky.leastValue)
        (leastLevel, self.orientation) = (255 * sRGBFromLinear(linear), orientation)
    }

    private init(leastLevel: Float, orientation: PhotoOrientation) { (self.leastLevel, self.orientation) = (leastLevel, orientation) }

    /// 0 at the sky, 255 elsewhere, of the photo's size; nil if less than a fiftieth of the photo is sky.
    func mask(of photo: ColorPlane) -> MaskPlane? {
        let image = photo.reduced(maximumSide: Sky.side)
        let (width, height) = (image.width, image.height)
        guard min(width, height) > 2 * Sky.reach else { return nil }
        let bright = (0..<width * height).map { isBright(image.level($0 % width, $0 / width)) }
        let smooth = PixelRegions(width: width, height: height) { bright[$0] && isSmooth(image, $0 % width, $0 / width) }
        var isOpen = [Bool](repeating: false, count: smooth.sizes.count)
        for pixel in smooth.labels.indices where smooth.labels[pixel] >= 0 && isAtUpperEdge(pixel % width, pixel / width, width, height) {
            isOpen[Int(smooth.labels[pixel])] = true
        }
        var mask = MaskPlane(width: width, height: height, repeating: 255)
        for pixel in mask.values.indices where smooth.labels[pixel] >= 0 && isOpen[Int(smooth.labels[pixel])] { mask.values[pixel] = 0 }
        guard 50 * mask.values.count(where: { $0 == 0 }) >= mask.values.count else { return nil }
        // The pixels between the smooth part and the outlines before it.
        for _ in 0...Sky.reach { grow(&mask, where: bright) }
        return mask.enlarged(width: photo.width, height: photo.height)
    }

    /// A sky is blue, gray or white.
    private func isBright(_ level: Vector3) -> Bool {
        0.2126 * level.x + 0.7152 * level.y + 0.0722 * level.z >= leastLevel && level.z >= level.x - 12
    }

    private func isSmooth(_ image: ColorPlane, _ x: Int, _ y: Int) -> Bool {
        let level = image.level(x, y)
        return [(-Sky.reach, 0), (Sky.reach, 0), (0, -Sky.reach), (0, Sky.reach)].allSatisfy { dx, dy in
            let (column, row) = (max(0, min(image.width - 1, x + dx)), max(0, min(image.height - 1, y + dy)))
            return (image.level(column, row) - level).magnitude <= Sky.smoothness
        }
    }

    /// Whether a pixel lies at the edge that is the upper one when a person views the photo.
    private func isAtUpperEdge(_ x: Int, _ y: Int, _ width: Int, _ height: Int) -> Bool {
        switch orientation.rawValue {
        case 3, 4: y >= height - Sky.reach
        case 5, 6: x < Sky.reach
        case 7, 8: x >= width - Sky.reach
        default: y < Sky.reach
        }
    }

    /// Adds the neighbours of the sky that are as bright.
    private func grow(_ mask: inout MaskPlane, where isBright: [Bool]) {
        let before = mask
        for y in 0..<mask.height {
            for x in 0..<mask.width where before[x, y] != 0 && isBright[y * mask.width + x] {
                let touches =
                    (x > 0 && before[x - 1, y] == 0) || (x + 1 < mask.width && before[x + 1, y] == 0)
                    || (y > 0 && before[x, y - 1] == 0) || (y + 1 < mask.height && before[x, y + 1] == 0)
                if touches { mask[x, y] = 0 }
            }
        }
    }
}

extension Sky: ByteCodable {
    func write(to writer: inout ByteWriter) {
        writer.write(leastLevel)
        writer.encode(orientation)
    }

    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> Sky {
        Sky(leastLevel: try reader.float(), orientation: try reader.decode())
    }
}
