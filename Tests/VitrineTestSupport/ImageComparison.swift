import Foundation
import VitrineScene

/// The difference of two images of the same size and format, channel by channel, of the stored values (without undoing a transfer function).
///
/// Differences are in levels of 255 for every format: half a 16-bit range is 127.5, and a float of 1 is 255.
package struct ImageComparison: Sendable {
    /// The largest difference of any channel of any pixel; infinite if one image has a NaN or infinity that the other doesn't have.
    package private(set) var maximum: Double = 0
    /// The mean of the absolute differences over all channels.
    package private(set) var mean: Double = 0
    /// Root of the mean square.
    package private(set) var rootMeanSquare: Double = 0
    /// The pixel with the largest difference.
    package private(set) var worstPixel = (x: 0, y: 0)
    /// The largest channel's difference of each pixel.
    package let differences: [Double]
    package let width, height: Int

    /// Peak signal-to-noise ratio in dB against a peak of 255; infinite for equal images.
    package var peakSignalToNoise: Double { 20 * log10(255 / rootMeanSquare) }

    /// The share of pixels with a channel that differs by more than `levels`.
    package func share(over levels: Double) -> Double {
        Double(differences.reduce(0) { $0 + ($1 > levels ? 1 : 0) }) / Double(differences.count)
    }

    package init(_ first: Image, _ second: Image) throws {
        guard (first.width, first.height, first.format) == (second.width, second.height, second.format) else {
            throw ImageMismatch(text: "\(first.shape) against \(second.shape)")
        }
        (width, height) = (first.width, first.height)
        var (sum, squares) = (0.0, 0.0)
        var differences = [Double](repeating: 0, count: width * height)
        if first.bytes != second.bytes {
            let (a, b) = (first.levels, second.levels)
            for index in 0..<a.count where a[index] != b[index] {
                let difference = a[index].isNaN && b[index].isNaN ? 0 : abs(a[index] - b[index])
                let amount = difference.isFinite ? difference : .infinity
                (sum, squares) = (sum + amount, squares + amount * amount)
                differences[index / 4] = max(differences[index / 4], amount)
                if amount > maximum { (maximum, worstPixel) = (amount, (index / 4 % width, index / 4 / width)) }
            }
        }
        self.differences = differences
        mean = sum / Double(4 * differences.count)
        rootMeanSquare = (squares / Double(4 * differences.count)).squareRoot()
    }

    /// A grey, opaque image of the differences times `gain`.
    package func differenceImage(gain: Double = 16) throws -> Image {
        var bytes = [UInt8](repeating: 255, count: 4 * width * height)
        for (index, difference) in differences.enumerated() where difference < 255 / gain {
            for channel in 0..<3 { bytes[4 * index + channel] = UInt8(difference * gain) }
        }
        return try Image(width: width, height: height, format: .rgba8, bytes: bytes, name: "difference")
    }

    /// One line for messages.
    package var summary: String {
        "max \(rounded(maximum)) at (\(worstPixel.x), \(worstPixel.y)), mean \(rounded(mean)) levels, \(rounded(peakSignalToNoise)) dB"
    }

    private func rounded(_ value: Double) -> String { String(format: "%.4g", value) }
}

/// Two images differ by more than permitted.
package struct ImageMismatch: Error, CustomStringConvertible {
    let text: String
    package var description: String { text }
}

extension Image {
    var shape: String { "\(width) × \(height) \(format)" }

    /// All channels, in levels of 255.
    var levels: [Double] {
        bytes.withUnsafeBytes { raw in
            switch format {
            case .rgba8: raw.map { Double($0) }
            case .rgba16: raw.bindMemory(to: UInt16.self).map { Double(UInt16(littleEndian: $0)) / 257 }
            case .rgba32Float: raw.bindMemory(to: UInt32.self).map { Double(Float(bitPattern: UInt32(littleEndian: $0))) * 255 }
            }
        }
    }
}
