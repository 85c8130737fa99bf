import VitrineVision

/// A camera image in biplanar 4:2:0 YCbCr: luma at full resolution, chroma at half.
public struct CapturedImage: Equatable, Sendable {
    /// The YCbCr colour matrix.
    public enum Matrix: String, Equatable, Sendable, CaseIterable {
        /// ITU-R BT.601: JPEG and standard-definition video.
        case bt601
        /// ITU-R BT.709: high-definition video.
        case bt709
    }
    /// The levels of black and white: 0 and 255 (full), or 16 and 235, 240 for chroma (video).
    public enum Range: String, Equatable, Sendable, CaseIterable {
        /// Full range: 0…255 for luma and chroma.
        case full
        /// Video range: 16…235 for luma, 16…240 for chroma.
        case video
    }

    /// The luma samples, `width × height`, rows from the top.
    public var luma: Plane<UInt8>
    /// The chroma samples, Cb and Cr interleaved: `(width + 1) / 2 × (height + 1) / 2` pairs, rows from the top; nil for a monochrome
    /// image.
    public var chroma: [UInt8]?
    /// The colour matrix.
    public var matrix: Matrix
    /// The levels of black and white.
    public var range: Range

    /// The width in pixels.
    public var width: Int { luma.width }
    /// The height in pixels.
    public var height: Int { luma.height }
    /// The width of the chroma plane in pixels.
    public var chromaWidth: Int { (width + 1) / 2 }
    /// The height of the chroma plane in pixels.
    public var chromaHeight: Int { (height + 1) / 2 }

    /// Creates an image from its planes.
    ///
    /// - Precondition: `chroma` is nil or has `2 * chromaWidth * chromaHeight` bytes.
    public init(luma: Plane<UInt8>, chroma: [UInt8]? = nil, matrix: Matrix = .bt601, range: Range = .full) {
        precondition(chroma.map { $0.count == 2 * ((luma.width + 1) / 2) * ((luma.height + 1) / 2) } ?? true)
        (self.luma, self.chroma, self.matrix, self.range) = (luma, chroma, matrix, range)
    }
}

/// A depth image aligned with the captured image, usually at a lower resolution.
public struct DepthImage: Equatable, Sendable {
    /// The depth in metres along the camera's z axis; 0 if unknown.
    public var metres: Plane<Float>
    /// The confidence of each pixel: 0 low, 1 medium, 2 high; nil if unknown.
    public var confidence: Plane<UInt8>?

    /// The depths without those of low confidence, which count as unknown.
    var confidentMetres: Plane<Float> {
        guard let confidence, confidence.values.count == metres.values.count else { return metres }
        var known = metres
        for index in known.values.indices where confidence.values[index] == 0 { known.values[index] = 0 }
        return known
    }

    /// Creates a depth image.
    public init(metres: Plane<Float>, confidence: Plane<UInt8>? = nil) { (self.metres, self.confidence) = (metres, confidence) }
}
