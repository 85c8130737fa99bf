import VitrineVision

/// A grey image in a layout for bilinear sampling: each 32-bit word has a pixel and its neighbours to the right, below, and below right
/// (lowest byte first), so that one load fetches all pixels of a bilinear sample. A border repeats the pixels of the edge.
///
/// Sendable, unchecked: only `init` writes the memory of `words`, before any other thread has the image; the last owner frees it.
package final class StereoImage: @unchecked Sendable {
    /// The width of the border in pixels: the reach of a patch.
    @inline(__always) package static var border: Int { 6 }

    /// The size of the image in pixels, without the border.
    package let width, height: Int
    /// The number of words from one row to the next.
    package let stride: Int
    /// The word of pixel (0, 0) is at `border * stride + border`.
    package let words: UnsafeMutablePointer<UInt32>
    /// The number of words, with the border.
    package var wordCount: Int { stride * (height + 2 * StereoImage.border) }
    /// The grey values 0…255, for the next smaller level.
    let gray: GrayPlane

    /// Creates an image for stereo matching.
    ///
    /// - Parameter gray: 0…255.
    init(gray: GrayPlane) {
        self.gray = gray
        (width, height) = (gray.width, gray.height)
        let border = StereoImage.border
        stride = width + 2 * border
        let rows = height + 2 * border
        words = .allocate(capacity: stride * rows)
        var bytes = [UInt32](repeating: 0, count: stride * rows)
        for y in 0..<rows {
            let row = min(max(y - border, 0), height - 1) * width
            for x in 0..<stride {
                let value = gray.values[row + min(max(x - border, 0), width - 1)]
                bytes[y * stride + x] = UInt32(min(max(value, 0), 255) + 0.5)
            }
        }
        let count = bytes.count
        bytes.withUnsafeBufferPointer { bytes in
            for index in 0..<count {
                let below = min(index + stride, count - 1)
                words[index] =
                    bytes[index] | bytes[min(index + 1, count - 1)] << 8 | bytes[below] << 16 | bytes[min(below + 1, count - 1)] << 24
            }
        }
    }

    deinit { words.deallocate() }

    /// The image at half size: each pixel the mean of four. An odd last row or column is dropped.
    func halved() -> StereoImage {
        let (w, h) = (max(1, width / 2), max(1, height / 2))
        var half = GrayPlane(width: w, height: h, repeating: 0)
        gray.values.withUnsafeBufferPointer { values in
            for y in 0..<h {
                let (top, bottom) = (2 * y * width, min(2 * y + 1, height - 1) * width)
                for x in 0..<w {
                    let (left, right) = (2 * x, min(2 * x + 1, width - 1))
                    half.values[y * w + x] =
                        0.25 * (values[top + left] + values[top + right] + values[bottom + left] + values[bottom + right])
                }
            }
        }
        return StereoImage(gray: half)
    }
}
