import VitrineMath
import VitrineVision

/// Detects square markers in images.
///
/// Segments dark regions with four straight sides, localizes the sides with subpixel accuracy in linear light, and decodes the cells. A marker
/// must be completely visible with a light border, and at least about 12 pixels wide. Results are in the order of the image's rows; a marker that
/// occurs twice is returned twice.
package struct MarkerDetector: Sendable {
    package var dictionaries: [MarkerDictionary]
    /// The smallest difference of black and white in grey levels. Default 24.
    package var contrast = 24
    /// The smallest width and height of a marker in pixels. Default 10.
    package var minimumSize = 10

    package init(dictionaries: [MarkerDictionary] = [.aprilTag36h11]) { self.dictionaries = dictionaries }

    package func detect(_ image: Plane<UInt8>) -> [Marker] {
        guard image.width >= 16, image.height >= 16 else { return [] }
        var regions = DarkRegions(image, contrast: max(1, contrast))
        // Bounds the length of ragged outlines.
        let outlines = regions.outlines(minimumSize: max(4, minimumSize), maximumLength: 8 * (image.width + image.height))
        let (grey, light) = (BilinearSampler.gray(image), BilinearSampler.linearLight(image))
        return outlines.compactMap { outline in
            guard let rough = MarkerQuad.corners(outline),
                let corners = MarkerQuad.refined(rough, light, cells: (dictionaries.map(\.cells).max() ?? 6) + 2)
            else { return nil }
            return read(corners, grey)
        }
    }

    /// Decodes the marker in a square.
    ///
    /// - Parameter corners: Clockwise in the image.
    private func read(_ corners: [Vector2d], _ sampler: BilinearSampler) -> Marker? {
        for dictionary in dictionaries {
            guard let reading = MarkerDecoder(corners, sampler, cells: dictionary.cells, contrast: Double(contrast)),
                let found = dictionary.match(reading.code)
            else { continue }
            // After a quarter turn counterclockwise, the printed upper left corner is the observed lower left: one earlier in clockwise order.
            let order = (0..<4).map { ($0 + 4 - found.turns) % 4 }
            return Marker(dictionary: dictionary, id: found.id, corners: order.map { corners[$0] }, corrected: found.wrong)
        }
        return nil
    }
}

/// Samples an image between pixels.
struct BilinearSampler {
    private let image: Plane<UInt8>
    /// The weight of each grey value.
    private let values: [Double]

    private static let grays = (0..<256).map { Double($0) }
    private static let lights = (0..<256).map { Double(linearFromSRGB(Float($0) / 255)) * 255 }

    /// Creates a sampler of grey values.
    static func gray(_ image: Plane<UInt8>) -> Self { Self(image: image, values: grays) }

    /// Linear light, 0…255.
    ///
    /// In the sRGB encoding the midpoint of an edge is displaced: a marker of 37 pixels would appear 2.5 % too small.
    static func linearLight(_ image: Plane<UInt8>) -> Self { Self(image: image, values: lights) }

    /// Bilinear interpolation at a position in pixels (centres at +0.5), clamped to the image.
    func callAsFunction(_ position: Vector2d) -> Double {
        let x = min(max(position.x - 0.5, 0), Double(image.width - 1))
        let y = min(max(position.y - 0.5, 0), Double(image.height - 1))
        let (column, row) = (min(Int(x), image.width - 2), min(Int(y), image.height - 2))
        let (fx, fy) = (x - Double(column), y - Double(row))
        let at = row * image.width + column
        let above = value(at) * (1 - fx) + value(at + 1) * fx
        let below = value(at + image.width) * (1 - fx) + value(at + image.width + 1) * fx
        return above * (1 - fy) + below * fy
    }

    @inline(__always) private func value(_ index: Int) -> Double { values[Int(image.values[index])] }
}
