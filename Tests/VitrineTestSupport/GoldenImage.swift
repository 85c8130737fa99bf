import Foundation
import VitrineFiles
import VitrineScene

/// Golden images that a test's output must match, in `Tests/Goldens/SUITE/NAME.png`.
///
/// ```swift
/// try GoldenImage.check(image, named: "box-on-floor")
/// ```
/// With `VITRINE_UPDATE_GOLDENS=1` in the environment the image is written instead of compared. On a mismatch the actual image and the
/// magnified difference are written to `out/goldens/SUITE/`.
package enum GoldenImage {
    /// The permitted difference. The software driver compiles for the machine's processor, so that machines differ by single levels.
    package struct Tolerance: Sendable {
        /// The largest difference of most pixels, in levels of 255.
        package var levels: Double
        /// The share of pixels that may differ by more: edges that fall on the other side of a sample.
        package var outliers: Double
        /// The root-mean-square difference over the image, in levels.
        package var rootMeanSquare: Double

        package init(levels: Double = 2, outliers: Double = 0.001, rootMeanSquare: Double = 0.5) {
            (self.levels, self.outliers, self.rootMeanSquare) = (levels, outliers, rootMeanSquare)
        }

        package static let exact = Tolerance(levels: 0, outliers: 0, rootMeanSquare: 0)
    }

    /// Compares an 8- or 16-bit image with its golden image.
    ///
    /// - Throws: `ImageMismatch` with the difference and the folder of the images.
    package static func check(_ actual: Image, named name: String, tolerance: Tolerance = Tolerance(), suite: String = #fileID) throws {
        let suite = String(suite.prefix { $0 != "/" })
        let golden = SharedData.packageRoot.appendingPathComponent("Tests/Goldens/\(suite)/\(name).png")
        if ProcessInfo.processInfo.environment["VITRINE_UPDATE_GOLDENS"] == "1" {
            return try write(actual, to: golden, encoding: .png(.small))
        }
        let failures = SharedData.packageRoot.appendingPathComponent("out/goldens/\(suite)")
        guard FileManager.default.fileExists(atPath: golden.path) else {
            try write(actual, to: failures.appendingPathComponent("\(name).png"))
            throw ImageMismatch(text: "no golden \(suite)/\(name).png: inspect out/goldens and run again with VITRINE_UPDATE_GOLDENS=1")
        }
        try compare(actual, with: try Image(contentsOf: golden), named: "\(suite)/\(name)", tolerance: tolerance, failures: failures)
    }

    private static func compare(_ actual: Image, with golden: Image, named name: String, tolerance: Tolerance, failures: URL) throws {
        let base = failures.appendingPathComponent(String(name.split(separator: "/").last ?? "")).path
        guard actual.shape == golden.shape else {
            try write(actual, to: URL(fileURLWithPath: base + ".png"))
            throw ImageMismatch(text: "\(name): \(actual.shape), the golden has \(golden.shape)")
        }
        let comparison = try ImageComparison(actual, golden)
        let share = comparison.share(over: tolerance.levels)
        if share <= tolerance.outliers, comparison.rootMeanSquare <= tolerance.rootMeanSquare { return }
        try write(actual, to: URL(fileURLWithPath: base + ".png"))
        try write(try comparison.differenceImage(), to: URL(fileURLWithPath: base + ".difference.png"))
        let percent = String(format: "%.3g", share * 100)
        throw ImageMismatch(
            text: "\(name): \(comparison.summary), \(percent) % of the pixels differ by over \(tolerance.levels) levels; see out/goldens")
    }

    private static func write(_ image: Image, to url: URL, encoding: ImageFile.Encoding = .png()) throws {
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try image.write(to: url, encoding: encoding)
    }
}
