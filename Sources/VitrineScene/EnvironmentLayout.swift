/// The layout of an image of all directions, determined by its aspect ratio.
///
/// Cube maps have six square faces in the order +X, −X, +Y, −Y, +Z, −Z, each as seen from the centre, upright, not mirrored. The +X face is in
/// direction +X, the +Z face in direction −Z, *forward*; rotating to the right from it, +X, −Z and −X follow, as in common cube maps. The
/// lower edge of the +Y face and the upper edge of the −Y face touch the +Z face.
package enum EnvironmentLayout: Equatable, Sendable {
    /// An equirectangular image, with the aspect ratio 2:1.
    case equirectangular
    /// A strip of 6:1 with the faces from left to right.
    case horizontalStrip
    /// A strip of 1:6 with the faces from top to bottom.
    case verticalStrip
    /// A cross of 4:3 with −X, +Z, +X, −Z in the middle row, +Y above +Z and −Y below it.
    case horizontalCross
    /// A cross of 3:4 with the rows +Y; −X, +Z, +X; −Y; and −Z upside down.
    case verticalCross

    /// Returns the layout with the aspect ratio of this size, or nil.
    package init?(width: Int, height: Int) {
        guard width > 0, height > 0 else { return nil }
        if abs(width - 2 * height) <= 1 {
            self = .equirectangular
        } else if width == 6 * height {
            self = .horizontalStrip
        } else if height == 6 * width {
            self = .verticalStrip
        } else if width % 4 == 0, width / 4 * 3 == height {
            self = .horizontalCross
        } else if width % 3 == 0, width / 3 * 4 == height {
            self = .verticalCross
        } else {
            return nil
        }
    }

    /// The position of each face of a cube map, in faces from the upper left corner; empty for `equirectangular`.
    var faces: [(x: Int, y: Int, isUpsideDown: Bool)] {
        switch self {
        case .equirectangular: []
        case .horizontalStrip: (0..<6).map { ($0, 0, false) }
        case .verticalStrip: (0..<6).map { (0, $0, false) }
        case .horizontalCross: [(2, 1, false), (0, 1, false), (1, 0, false), (1, 2, false), (1, 1, false), (3, 1, false)]
        case .verticalCross: [(2, 1, false), (0, 1, false), (1, 0, false), (1, 2, false), (1, 1, false), (1, 3, true)]
        }
    }

    /// The number of faces along the width.
    var columns: Int {
        switch self {
        case .equirectangular, .verticalStrip: 1
        case .horizontalStrip: 6
        case .horizontalCross: 4
        case .verticalCross: 3
        }
    }
}

extension Image {
    /// Creates a 6:1 strip from six square images: +X, −X, +Y, −Y, +Z, −Z (see `EnvironmentLayout`).
    ///
    /// - Throws: `ImageError.wrongFaceCount`, `.unequalFace`, or `.invalidSize` if the strip is too large.
    public convenience init(cubeFaces faces: [Image], name: String = "") throws(ImageError) {
        guard faces.count == 6 else { throw .wrongFaceCount(faces.count) }
        let first = faces[0]
        for face in faces where face.width != face.height || face.width != first.width || face.format != first.format {
            throw .unequalFace(name: face.name, width: face.width, height: face.height)
        }
        let row = first.width * first.format.bytesPerPixel
        var bytes: [UInt8] = []
        bytes.reserveCapacity(row * first.height * 6)
        for y in 0..<first.height { for face in faces { bytes.append(contentsOf: face.bytes[y * row..<(y + 1) * row]) } }
        try self.init(width: first.width * 6, height: first.height, format: first.format, bytes: bytes, name: name)
    }
}
