// Stands in until the reader of EXIF data lands.
public enum PhotoOrientation: Int, Sendable {
    case up = 1
    case upMirrored, down, downMirrored, leftMirrored, right, rightMirrored, left
}
public struct PhotoMetadata: Sendable, Equatable {
    public var orientation = PhotoOrientation.up
    public var make: String?
    public var model: String?
    public var lens: String?
    public var focalLength: Double?
    public init() {}
    init(of: [UInt8]) { self.init() }
    func focalLengthInPixels(width: Int, height: Int) -> Double? { nil }
}
