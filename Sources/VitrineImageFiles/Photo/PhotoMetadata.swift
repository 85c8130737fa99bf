/// The EXIF metadata of a photo that reconstruction uses.
///
/// ```swift
/// let photo = PhotoMetadata(of: bytes)                               // a JPEG, PNG, WebP or HEIF file
/// let focal = photo.focalLengthInPixels(width: 4032, height: 3024)   // nil if unknown
/// ```
///
/// Reading never fails and takes bounded time: invalid values are ignored and listed in `problems`.
public struct PhotoMetadata: Codable, Equatable, Sendable {
    /// The rotation that makes the stored image upright; `.up` for HEIF files, whose decoder rotates the pixels.
    public var orientation = PhotoOrientation.up
    /// The focal length in millimetres.
    public var focalLength: Double?
    /// The focal length in millimetres that gives the same angle of view on 35 mm film (36 × 24 mm), by the diagonal (CIPA DCG-001).
    public var focalLength35mm: Double?
    /// The horizontal number of pixels per millimetre on the sensor, for an image of `pixelWidth` × `pixelHeight`.
    public var focalPlaneResolutionX: Double?
    /// The vertical number of pixels per millimetre on the sensor; see `focalPlaneResolutionX`.
    public var focalPlaneResolutionY: Double?
    /// The width of the original photo in pixels; the file may be smaller.
    public var pixelWidth: Int?
    /// The height of the original photo in pixels.
    public var pixelHeight: Int?
    /// The manufacturer of the camera.
    public var make: String?
    /// The model of the camera.
    public var model: String?
    /// The model of the lens.
    public var lens: String?
    /// The exposure time in seconds.
    public var exposureTime: Double?
    /// The f-number: the focal length divided by the diameter of the aperture.
    public var fNumber: Double?
    /// The ISO sensitivity.
    public var iso: Int?
    /// The time on the camera's clock: `2024-05-31T14:03:09`, with fractions (`.25`) and time zone (`+02:00`) if known. Sorts by time.
    public var captureTime: String?
    /// Problems of the data; empty if it is valid or missing.
    public var problems: [String] = []

    /// Creates empty metadata.
    public init() {}

    /// Reads the EXIF data of an image file of any kind; all properties are nil if it has none.
    public init(of bytes: [UInt8]) {
        guard let kind = ImageFile.kind(of: bytes) else { return }
        var found: ArraySlice<UInt8>?
        switch kind {
        case .jpeg: found = EXIFLocator.inJPEG(bytes)
        case .png: found = EXIFLocator.inPNG(bytes)
        case .webp: found = EXIFLocator.inWebP(bytes)
        case .heif: found = ImageFile.exifOfHEIF(bytes)
        case .hdr, .exr, .ktx2, .tga: found = nil
        }
        guard let found else { return }
        EXIFParser(found).read(into: &self)
        // The decoder has already rotated the image; the tag is a copy for other readers.
        if kind == .heif { orientation = .up }
    }

    /// Whether all properties are unknown.
    public var isEmpty: Bool { self == PhotoMetadata() }

    /// Returns the focal length in pixels for an image of this size (as decoded, or scaled proportionally); nil if unknown.
    ///
    /// Computed from the 35 mm equivalent: f = f₃₅ · diagonal / 43.27 mm, which is rounded to whole millimetres (about 2 %); otherwise from the focal
    /// length and the resolution on the sensor. A result outside 0.2 … 50 longest sides is treated as an error of the file.
    public func focalLengthInPixels(width: Int, height: Int) -> Double? {
        let longest = Double(max(width, height))
        guard width > 0, height > 0 else { return nil }
        let usable = 0.2 * longest...50 * longest
        if let equivalent = focalLength35mm {
            let diagonal = (Double(width) * Double(width) + Double(height) * Double(height)).squareRoot()
            let pixels = equivalent * diagonal / (36.0 * 36 + 24 * 24).squareRoot()
            if usable.contains(pixels) { return pixels }
        }
        guard let focalLength, let resolution = focalPlaneResolutionX ?? focalPlaneResolutionY else { return nil }
        let original = Double(max(pixelWidth ?? 0, pixelHeight ?? 0))
        let pixels = focalLength * resolution * (original > 0 ? longest / original : 1)
        return usable.contains(pixels) ? pixels : nil
    }
}

/// The EXIF orientation of a stored image: how to rotate and mirror it so that it is upright. Raw values are those of the EXIF tag.
public enum PhotoOrientation: Int, Codable, CaseIterable, Sendable {
    /// The stored image is upright.
    case up = 1
    /// Mirror the stored image left to right.
    case upMirrored
    /// Rotate the stored image by 180°.
    case down
    /// Mirror the stored image top to bottom.
    case downMirrored
    /// Exchange rows and columns: mirror along the diagonal from the top left corner.
    case leftMirrored
    /// Rotate the stored image 90° clockwise: a phone in portrait position.
    case right
    /// Mirror along the diagonal from the top right corner.
    case rightMirrored
    /// Rotate the stored image 90° counterclockwise.
    case left

    /// Whether the upright image exchanges width and height.
    public var swapsSides: Bool { rawValue >= 5 }

    /// The map from stored pixel coordinates to the upright image: `(x', y') = (a x + b y + c, d x + e y + f)`, in units of the stored image's sides
    /// (0…1 from edge to edge).
    public var uprightFromStored: (x: SIMD3<Double>, y: SIMD3<Double>) {
        switch self {
        case .up: (SIMD3(1, 0, 0), SIMD3(0, 1, 0))
        case .upMirrored: (SIMD3(-1, 0, 1), SIMD3(0, 1, 0))
        case .down: (SIMD3(-1, 0, 1), SIMD3(0, -1, 1))
        case .downMirrored: (SIMD3(1, 0, 0), SIMD3(0, -1, 1))
        case .leftMirrored: (SIMD3(0, 1, 0), SIMD3(1, 0, 0))
        case .right: (SIMD3(0, -1, 1), SIMD3(1, 0, 0))
        case .rightMirrored: (SIMD3(0, -1, 1), SIMD3(-1, 0, 1))
        case .left: (SIMD3(0, 1, 0), SIMD3(-1, 0, 1))
        }
    }

    /// The photographer's up direction in the stored image (x right, y down), from the camera's roll sensor.
    public var upInStoredImage: SIMD2<Double> {
        // Up is (0, −1) in the upright image; the inverse of the rotation is its transpose.
        let (x, y) = uprightFromStored
        return SIMD2(x.x * 0 + y.x * -1, x.y * 0 + y.y * -1)
    }
}
