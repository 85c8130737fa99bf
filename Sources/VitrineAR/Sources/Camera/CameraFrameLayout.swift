import VitrineImageFiles
import VitrineTracking
import VitrineVision

/// The memory layout of a camera frame, and its conversion to an image.
struct CameraFrameLayout: Equatable, Sendable {
    enum Kind: String, CaseIterable, Sendable {
        case mjpeg = "MJPG"
        case nv12 = "NV12"
        case yu12 = "YU12"
        case yuyv = "YUYV"
        case uyvy = "UYVY"
        case grey = "GREY"

        /// The FourCC code, first letter in the lowest byte.
        var code: UInt32 { rawValue.utf8.reversed().reduce(0) { $0 << 8 | UInt32($1) } }
    }

    var kind: Kind
    var width, height: Int
    /// The bytes per line of the first plane; 0 for packed rows.
    var bytesPerLine: Int
    var matrix = CapturedImage.Matrix.bt601
    var range = CapturedImage.Range.video

    /// Converts a frame.
    ///
    /// - Throws: `SourceError.broken` if there are too few bytes or a JPEG is damaged.
    func image(_ bytes: UnsafeBufferPointer<UInt8>) throws(SourceError) -> CapturedImage {
        switch kind {
        case .mjpeg: return try jpeg(bytes)
        case .grey:
            let luma = try rows(bytes, offset: 0, count: height, width: width, stride: stride(width))
            return CapturedImage(luma: Plane(width: width, height: height, values: luma), range: range)
        case .nv12:
            let line = stride(width)
            let luma = try rows(bytes, offset: 0, count: height, width: width, stride: line)
            let chroma = try rows(bytes, offset: line * height, count: (height + 1) / 2, width: 2 * ((width + 1) / 2), stride: line)
            return image(luma, chroma)
        case .yu12: return try planar(bytes)
        case .yuyv: return try packed(bytes, lumaFirst: true)
        case .uyvy: return try packed(bytes, lumaFirst: false)
        }
    }

    private func stride(_ least: Int) -> Int { max(bytesPerLine, least) }

    private func image(_ luma: [UInt8], _ chroma: [UInt8]) -> CapturedImage {
        CapturedImage(luma: Plane(width: width, height: height, values: luma), chroma: chroma, matrix: matrix, range: range)
    }

    private func need(_ count: Int, _ bytes: UnsafeBufferPointer<UInt8>) throws(SourceError) {
        guard bytes.count >= count else { throw .broken("a frame of \(bytes.count) bytes, \(kind.rawValue) at this size has \(count)") }
    }

    private func rows(
        _ bytes: UnsafeBufferPointer<UInt8>, offset: Int, count: Int, width: Int, stride: Int
    ) throws(SourceError) -> [UInt8] {
        try need(offset + stride * (count - 1) + width, bytes)
        var values: [UInt8] = []
        values.reserveCapacity(count * width)
        for row in 0..<count { values += bytes[offset + row * stride..<offset + row * stride + width] }
        return values
    }

    private func planar(_ bytes: UnsafeBufferPointer<UInt8>) throws(SourceError) -> CapturedImage {
        let line = stride(width)
        let (half, rows) = ((width + 1) / 2, (height + 1) / 2)
        let halfLine = (line + 1) / 2
        let luma = try self.rows(bytes, offset: 0, count: height, width: width, stride: line)
        let blue = try self.rows(bytes, offset: line * height, count: rows, width: half, stride: halfLine)
        let red = try self.rows(bytes, offset: line * height + halfLine * rows, count: rows, width: half, stride: halfLine)
        var chroma: [UInt8] = []
        chroma.reserveCapacity(2 * blue.count)
        for index in blue.indices {
            chroma.append(blue[index])
            chroma.append(red[index])
        }
        return image(luma, chroma)
    }

    /// Decodes 4:2:2 images with two pixels in four bytes; averages the chroma of two rows.
    private func packed(_ bytes: UnsafeBufferPointer<UInt8>, lumaFirst: Bool) throws(SourceError) -> CapturedImage {
        let half = (width + 1) / 2
        let line = stride(4 * half)
        try need(line * (height - 1) + 4 * half, bytes)
        let (first, blue) = lumaFirst ? (0, 1) : (1, 0)
        var luma = [UInt8](repeating: 0, count: width * height)
        var chroma = [UInt8](repeating: 0, count: 2 * half * ((height + 1) / 2))
        for y in 0..<height {
            for x in 0..<width { luma[y * width + x] = bytes[y * line + 2 * x + first] }
        }
        for y in 0..<(height + 1) / 2 {
            let (upper, lower) = (2 * y * line, min(2 * y + 1, height - 1) * line)
            for x in 0..<half {
                for (channel, offset) in [blue, blue + 2].enumerated() {
                    let sum = Int(bytes[upper + 4 * x + offset]) + Int(bytes[lower + 4 * x + offset])
                    chroma[2 * (y * half + x) + channel] = UInt8((sum + 1) / 2)
                }
            }
        }
        return image(luma, chroma)
    }

    private func jpeg(_ bytes: UnsafeBufferPointer<UInt8>) throws(SourceError) -> CapturedImage {
        let image = try FrameImageFile.image(Array(bytes), name: "a frame")
        guard image.width == width, image.height == height else {
            throw .broken("a frame of \(image.width) × \(image.height) pixels, not \(width) × \(height)")
        }
        return image
    }
}
