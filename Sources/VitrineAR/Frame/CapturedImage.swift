import VitrineVision

/// A camera's picture: full-size luma, and colour differences at half the size, as cameras and video give them (biplanar 4:2:0 YCbCr).
public struct CapturedImage: Equatable, Sendable {
    /// How Y, Cb and Cr follow from red, green and blue.
    public enum Matrix: String, Equatable, Sendable, CaseIterable { case bt601, bt709 }
    /// Which levels black and white have: 0 and 255, or 16 and 235 (240 for colour differences).
    public enum Range: String, Equatable, Sendable, CaseIterable { case full, video }

    /// `width × height`, rows from the top.
    public var luma: Plane<UInt8>
    /// Cb and Cr in turn: `(width + 1) / 2 × (height + 1) / 2` pairs, rows from the top; nil where the camera is grey.
    public var chroma: [UInt8]?
    public var matrix: Matrix
    public var range: Range

    public var width: Int { luma.width }
    public var height: Int { luma.height }
    public var chromaWidth: Int { (width + 1) / 2 }
    public var chromaHeight: Int { (height + 1) / 2 }

    /// - Precondition: `chroma`, where given, has `2 * chromaWidth * chromaHeight` bytes.
    public init(luma: Plane<UInt8>, chroma: [UInt8]? = nil, matrix: Matrix = .bt601, range: Range = .full) {
        precondition(chroma.map { $0.count == 2 * ((luma.width + 1) / 2) * ((luma.height + 1) / 2) } ?? true)
        (self.luma, self.chroma, self.matrix, self.range) = (luma, chroma, matrix, range)
    }
}

/// Distances along the camera's axis, aligned with the picture but usually smaller.
public struct DepthImage: Equatable, Sendable {
    /// Metres along z forward; 0 where unknown.
    public var metres: Plane<Float>
    /// 0 low, 1 medium, 2 high for every pixel, or nil.
    public var confidence: Plane<UInt8>?

    public init(metres: Plane<Float>, confidence: Plane<UInt8>? = nil) { (self.metres, self.confidence) = (metres, confidence) }
}
