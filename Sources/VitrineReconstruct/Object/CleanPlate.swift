import VitrineMath
import VitrineVision

/// The background behind a turning object, as far as the photos of a camera at rest show it.
///
/// The region of a `StaticBackground` is larger than the object in any photo: a photo shows the background in the rest of it. The plate continues the
/// still background into the region, pixel by pixel, where enough photos agree with the colour of the pixels around. It ends at edges, because behind an
/// edge there may be a part of the object that looks the same from all sides. Between its ends it is interpolated.
struct CleanPlate: Sendable {
    private let width: Int
    private let colors: [Vector3]
    /// The median difference of a channel between photos of the background, levels of 255.
    private let noise: Float

    /// The largest difference of a channel for the background, relative to the noise.
    private static let tolerance: Float = 4
    /// The difference of a channel by the colour of the light in a shadow, relative to the missing light.
    private static let shadowTint: Float = 0.1

    /// - Parameters:
    ///   - images: The photos of one position of the camera, of one size.
    ///   - background: The static background of these images.
    init(_ images: [ColorPlane], background: StaticBackground) {
        noise = StaticBackground.noise(images, around: background.image)
        var growth = Growth(images, background, tolerance: 3 * noise)
        growth.grow()
        growth.interpolate()
        (width, colors) = (background.image.width, growth.colors)
    }

    /// The pixels of one of the images that do not show the background: 255; the others 0.
    func mask(of image: ColorPlane) -> MaskPlane {
        Silhouette.cut(image, tolerance: Self.tolerance * noise) { difference(image.level($0, $1), colors[$1 * width + $0]) }
    }

    /// The difference of a colour from the background, in light or in a shadow. Levels of 255.
    private func difference(_ color: Vector3, _ background: Vector3) -> Float {
        let brightest = background.max()
        let tint = Self.shadowTint * brightest
        // On a background of a clear hue, a shadow differs from something grey by half the range of the channels, which must exceed the tolerance.
        let darkest = 1.25 * (Self.tolerance * noise + tint) / ((brightest - background.min()) / 2 + tint)
        guard darkest < 0.7 else { return (color - background).magnitude }
        // The object may also reflect a little light on the background.
        let shade = max(darkest, min(1.1, dot(color, background) / dot(background, background)))
        return max(0, (color - background * shade).magnitude - tint * max(0, 1 - shade))
    }
}

/// The growing plate.
private struct Growth {
    private let images: [ColorPlane]
    private let tolerance: Float
    private let width, height: Int
    private(set) var colors: [Vector3]
    private var isKnown: [Bool]

    init(_ images: [ColorPlane], _ background: StaticBackground, tolerance: Float) {
        (self.images, self.tolerance) = (images, tolerance)
        let image = background.image
        (width, height) = (image.width, image.height)
        isKnown = background.region.values.map { $0 == 0 }
        colors = isKnown.indices.map { image.level($0 % image.width, $0 / image.width) }
    }

    /// Continues the known pixels where a sixth of the photos have the colour of the pixels around.
    mutating func grow() {
        var front = isKnown.indices.filter { isKnown[$0] }
        while !front.isEmpty {
            var next: [Int] = []
            for pixel in front {
                for neighbor in neighbors(of: pixel) where !isKnown[neighbor] {
                    guard let color = agreedColor(neighbor) else { continue }
                    (colors[neighbor], isKnown[neighbor]) = (color, true)
                    next.append(neighbor)
                }
            }
            front = next
        }
    }

    /// The mean colour of the photos that agree with the pixels around; nil if they are too few.
    private func agreedColor(_ pixel: Int) -> Vector3? {
        let (x, y) = (pixel % width, pixel / width)
        let expected = surroundings(x, y)
        var (sum, count) = (Vector3.zero, 0)
        for image in images {
            let level = image.level(x, y)
            guard (level - expected).magnitude <= tolerance else { continue }
            sum += level
            count += 1
        }
        return count >= max(3, images.count / 6) ? sum / Float(count) : nil
    }

    /// The mean of the known colours in 5 × 5 pixels.
    private func surroundings(_ x: Int, _ y: Int) -> Vector3 {
        var (sum, count) = (Vector3.zero, Float(0))
        for row in max(0, y - 2)...min(height - 1, y + 2) {
            for pixel in row * width + max(0, x - 2)...row * width + min(width - 1, x + 2) where isKnown[pixel] {
                sum += colors[pixel]
                count += 1
            }
        }
        return sum / max(1, count)
    }

    /// Fills the unknown pixels smoothly, from their edge inwards.
    mutating func interpolate() {
        var unknown: [Int] = []
        var front = isKnown.indices.filter { isKnown[$0] }
        while !front.isEmpty {
            var next: [Int] = []
            for pixel in front {
                for neighbor in neighbors(of: pixel) where !isKnown[neighbor] {
                    (colors[neighbor], isKnown[neighbor]) = (surroundings(neighbor % width, neighbor / width), true)
                    next.append(neighbor)
                }
            }
            unknown += next
            front = next
        }
        for _ in 0..<Self.smoothings {
            for pixel in unknown {
                let around = neighbors(of: pixel)
                colors[pixel] = around.reduce(.zero) { $0 + colors[$1] } / Float(around.count)
            }
        }
    }

    private static let smoothings = 100

    private func neighbors(of pixel: Int) -> [Int] {
        let (x, y) = (pixel % width, pixel / width)
        var result: [Int] = []
        if x > 0 { result.append(pixel - 1) }
        if x + 1 < width { result.append(pixel + 1) }
        if y > 0 { result.append(pixel - width) }
        if y + 1 < height { result.append(pixel + width) }
        return result
    }
}
