import VitrineCaptureView
import VitrineFiles
import VitrineReconstruct

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Checks photos and copies the usable ones into a capture's folder.
@MainActor
final class PhotoCheck {
    /// The flaws of a photo that is used.
    enum Problem: String {
        case blurred
        case tooDark = "environment_too_dark"
        case lowLight = "environment_low_light"
        case tooBright = "environment_too_bright"
        case separate

        var advice: String {
            switch self {
            case .blurred: "blurred: hold the camera still"
            case .tooDark: "too dark: add light"
            case .lowLight: "noisy: more light would help"
            case .tooBright: "overexposed: avoid direct light"
            case .separate: "does not overlap with an earlier photo: take some in between"
            }
        }
    }

    enum Result {
        /// Copied to this name.
        case taken(String, [Problem])
        /// The photo cannot be used, for this reason.
        case skipped(String)
    }

    private let folder: URL
    private let thresholds = CaptureThresholds()
    /// The photos in the folder, by the digest of their bytes.
    private var names: [PhotoMeasure.Identity: String] = [:]
    private var sharpnesses: [Float] = []
    private let overlap = PhotoOverlap()
    private var addedNames: [String] = []
    private(set) var taken = 0
    private(set) var skipped = 0

    /// The number of photos in the folder.
    var count: Int { names.count }

    /// A photo is blurred if its sharpness is below this share of the median of the earlier ones.
    private static let sharpnessShare: Float = 0.6

    init(folder: URL, continues: Bool) throws {
        self.folder = folder
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).map { folder.appendingPathComponent($0) }
        guard continues || files.isEmpty else { throw ObjectCaptureSession.Error.directoryNotEmpty(folder) }
        for file in files.sorted(by: { $0.path < $1.path }) {
            if file.lastPathComponent.hasPrefix(".vitrine-"), file.pathExtension == "tmp" {
                try? FileManager.default.removeItem(at: file)
            } else if Self.isPhotoName(file), let identity = try? PhotoMeasure.identity(of: file) {
                names[identity] = file.lastPathComponent
            }
        }
    }

    static func isPhotoName(_ url: URL) -> Bool {
        ["jpg", "jpeg", "png", "webp", "heic", "heif", "avif"].contains(url.pathExtension.lowercased())
    }

    /// Copies a photo, unless it cannot be used.
    func take(_ url: URL) -> Result {
        do {
            let measure = try PhotoMeasure(url)
            if let other = names[measure.identity] { return skip("is a copy of \(other)") }
            let name = freeName(url.lastPathComponent)
            try AtomicFile.write(measure.bytes, to: folder.appendingPathComponent(name))
            names[measure.identity] = name
            addedNames.append(name)
            taken += 1
            return .taken(name, problems(measure))
        } catch {
            return skip((error as? ImageFileError)?.reason.description ?? describe(error))
        }
    }

    private func skip(_ reason: String) -> Result {
        skipped += 1
        return .skipped(reason)
    }

    /// Cameras restart their numbering: a number is added to the name of another photo with the same name.
    private func freeName(_ name: String) -> String {
        let url = URL(fileURLWithPath: name)
        let stem = url.deletingPathExtension().lastPathComponent
        var (candidate, number) = (name, 2)
        while FileManager.default.fileExists(atPath: folder.appendingPathComponent(candidate).path) {
            candidate = "\(stem)-\(number).\(url.pathExtension)"
            number += 1
        }
        return candidate
    }

    private func problems(_ measure: PhotoMeasure) -> [Problem] {
        var problems: [Problem] = []
        let usual = sharpnesses.sorted()
        if usual.count >= 3, measure.sharpness < Self.sharpnessShare * usual[usual.count / 2] { problems.append(.blurred) }
        sharpnesses.append(measure.sharpness)
        let brightness = Double(measure.brightness)
        if brightness < thresholds.tooDark {
            problems.append(.tooDark)
        } else if brightness < thresholds.lowLight {
            problems.append(.lowLight)
        }
        if Double(measure.clipped) > thresholds.overexposed { problems.append(.tooBright) }
        if !overlap.add(measure) { problems.append(.separate) }
        return problems
    }

    /// Photos that overlap with none, or only with a few, of the others.
    var separateNames: [String] { overlap.separate.map { addedNames[$0] } }
}
