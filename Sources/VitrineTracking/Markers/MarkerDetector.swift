import VitrineMath
import VitrineVision

/// Finds square markers in pictures.
///
/// ```swift
/// let markers = MarkerDetector(dictionaries: [.aprilTag36h11]).detect(image)
/// let pose = markers[0].poses(edge: 0.16, camera: rig.camera).first   // metres, in the camera's frame
/// ```
///
/// Dark regions with four straight sides are sought, their sides laid where half the light is, to a part of a pixel, and the cells read between
/// them. A marker must be seen whole, with a light edge all around, and be some 12 pixels wide. Found by rising place in the picture (rows
/// first), the same marker twice where it is there twice.
public struct MarkerDetector: Sendable {
    public var dictionaries: [MarkerDictionary]
    /// The least difference of black and white, in grey levels. Default 24.
    public var contrast = 24
    /// The smallest marker's width and height in pixels. Default 10.
    public var smallest = 10

    public init(dictionaries: [MarkerDictionary] = [.aprilTag36h11]) { self.dictionaries = dictionaries }

    public func detect(_ image: TrackingImage) -> [Marker] {
        guard image.width >= 16, image.height >= 16 else { return [] }
        var regions = DarkRegions(image, contrast: max(1, contrast))
        // A region's outline may be ragged, but not longer than around the picture several times.
        let outlines = regions.outlines(smallest: max(4, smallest), longest: 8 * (image.width + image.height))
        let (grey, light) = (GreySampler(image), LightSampler(image))
        return outlines.compactMap { outline in
            guard let rough = MarkerOutline.corners(outline),
                let corners = MarkerOutline.sharpened(rough, light, cells: (dictionaries.map(\.cells).max() ?? 6) + 2)
            else { return nil }
            return read(corners, grey)
        }
    }

    /// - Parameter corners: clockwise as seen.
    private func read(_ corners: [Vector2d], _ sampler: GreySampler) -> Marker? {
        for dictionary in dictionaries {
            guard let reading = MarkerReading(corners, sampler, cells: dictionary.cells, contrast: Double(contrast)),
                let found = dictionary.match(reading.code)
            else { continue }
            // Turned by a quarter counterclockwise, the printed upper left corner is the seen lower left: one before in clockwise order.
            let order = (0..<4).map { ($0 + 4 - found.turns) % 4 }
            return Marker(dictionary: dictionary, id: found.id, corners: order.map { corners[$0] }, corrected: found.wrong)
        }
        return nil
    }
}

/// Light between pixels: 0…255, in proportion to what fell on them.
///
/// Pictures hold it encoded (sRGB): there half the grey of an edge lies off its middle, by so much that a marker of 37 pixels looked 2.5 % too small.
struct LightSampler {
    private let image: TrackingImage
    /// Of each grey value.
    private static let light = (0..<256).map { Double(linearFromSRGB(Float($0) / 255)) * 255 }

    init(_ image: TrackingImage) { self.image = image }

    /// Bilinear, at a place in pixels (centres at +0.5); beyond the picture its edge.
    func callAsFunction(_ place: Vector2d) -> Double {
        let x = min(max(place.x - 0.5, 0), Double(image.width - 1))
        let y = min(max(place.y - 0.5, 0), Double(image.height - 1))
        let (column, row) = (min(Int(x), image.width - 2), min(Int(y), image.height - 2))
        let (fx, fy) = (x - Double(column), y - Double(row))
        let at = row * image.width + column
        let above = light(at) * (1 - fx) + light(at + 1) * fx
        let below = light(at + image.width) * (1 - fx) + light(at + image.width + 1) * fx
        return above * (1 - fy) + below * fy
    }

    @inline(__always) private func light(_ index: Int) -> Double { Self.light[Int(image.values[index])] }
}

/// Grey values between pixels.
struct GreySampler {
    private let image: TrackingImage

    init(_ image: TrackingImage) { self.image = image }

    /// Bilinear, at a place in pixels (centres at +0.5); beyond the picture its edge.
    func callAsFunction(_ place: Vector2d) -> Double {
        let x = min(max(place.x - 0.5, 0), Double(image.width - 1))
        let y = min(max(place.y - 0.5, 0), Double(image.height - 1))
        let (column, row) = (min(Int(x), image.width - 2), min(Int(y), image.height - 2))
        let (fx, fy) = (x - Double(column), y - Double(row))
        let at = row * image.width + column
        let above = Double(image.values[at]) * (1 - fx) + Double(image.values[at + 1]) * fx
        let below = Double(image.values[at + image.width]) * (1 - fx) + Double(image.values[at + image.width + 1]) * fx
        return above * (1 - fy) + below * fy
    }
}
