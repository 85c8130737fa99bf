import VitrineFiles
import VitrineReconstruct

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Prints the result.
struct ReconstructResult {
    let summary: ReconstructionSummary
    let settings: ReconstructSettings

    func report() {
        if settings.isJSON { printJSON() } else { printText() }
    }

    private func printText() {
        if let video = summary.video {
            let left = [
                (ReconstructionSummary.Video.FrameState.blurred, "blurred"), (.still, "without motion"), (.overexposed, "overexposed"),
                (.underexposed, "too dark"),
            ]
            .filter { video.count($0.0) > 0 }.map { ", \(video.count($0.0).grouped) \($0.1)" }.joined()
            print("\(video.name)  \(video.frames.count.grouped) frames: \(video.count(.chosen)) chosen\(left)")
        }
        for model in summary.models {
            guard let url = model.url else { continue }
            let texture = model.textureDimension > 0 ? ", \(model.textureDimension) x \(model.textureDimension) textures" : ""
            print("\(url.relativePath)  \(model.triangles.grouped) triangles\(texture), \(megabytes(of: url))")
        }
        for path in [settings.poses, settings.transforms, settings.colmap, settings.pointCloud].compactMap({ $0 }) {
            print(path)
        }
        if let report = settings.report { print("\(report)  \(megabytes(of: URL(fileURLWithPath: report)))") }
        let error = summary.meanReprojectionError.fixed(2)
        let peak = summary.steps.compactMap(\.peakMemory).max().map { ", \((Double($0) / 1e9).fixed(1)) GB" } ?? ""
        let photos = summary.photos.count { if case .invalid = $0.state { false } else { true } }
        print(
            "\(summary.usedCount) of \(photos) photos used, \(error) px mean error, scale: \(summary.scaleSource), "
                + "\(ProgressLine.duration(summary.seconds))\(peak)")
    }

    private func printJSON() {
        ReconstructFeed.printLine([
            "event": .text("result"),
            "photos": .number(Double(summary.photos.count)),
            "photos_used": .number(Double(summary.usedCount)),
            "reprojection_error_px": .number(summary.meanReprojectionError),
            "sparse_points": .number(Double(summary.sparsePoints)),
            "dense_points": .number(Double(summary.densePoints)),
            "up": .text(summary.upSource),
            "scale": .text(summary.scaleSource),
            "metric": .flag(summary.isMetric),
            "seconds": .number(summary.seconds),
            "video": summary.video.map(video) ?? .null,
            "models": .list(summary.models.map(model)),
            "steps": .list(summary.steps.map(step)),
            "warnings": .list(summary.warnings.map { .text($0) }),
        ])
    }

    private func video(_ video: ReconstructionSummary.Video) -> JSONField {
        var fields: [String: JSONField] = ["file": .text(video.name), "frames": .number(Double(video.frames.count))]
        for state in ReconstructionSummary.Video.FrameState.allCases { fields[state.rawValue] = .number(Double(video.count(state))) }
        fields["chosen_frames"] = .list(
            video.frames.filter { $0.state == .chosen }.map {
                .object(["index": .number(Double($0.index)), "time": .number($0.time), "sharpness": .number(Double($0.sharpness))])
            })
        return .object(fields)
    }

    private func model(_ model: ReconstructionSummary.Model) -> JSONField {
        var fields: [String: JSONField] = [
            "file": .text(model.url?.relativePath ?? ""), "detail": .text(model.detail.rawValue),
            "triangles": .number(Double(model.triangles)),
            "vertices": .number(Double(model.vertices)), "texture": .number(Double(model.textureDimension)),
            "unseen_share": .number(model.unseenShare), "contradicting_photos": .number(Double(model.contradictingPhotos)),
        ]
        if !model.photoAgreements.isEmpty {
            fields["photo_agreements"] = .list(model.photoAgreements.map { .number(($0 * 1000).rounded() / 1000) })
        }
        if let shading = model.removedShading { fields["removed_shading_contrast"] = .number(shading.contrast) }
        return .object(fields)
    }

    private func step(_ step: ReconstructionSummary.Step) -> JSONField {
        var fields: [String: JSONField] = [
            "name": .text(step.name), "stage": .text(step.stage.word), "seconds": .number((step.seconds * 1000).rounded() / 1000),
            "restored": .flag(step.wasRestored),
        ]
        if let peak = step.peakMemory { fields["peak_memory_mb"] = .number((Double(peak) / 1e6).rounded()) }
        return .object(fields)
    }

    private func megabytes(of url: URL) -> String {
        let size = Double(FileStatus(path: url.path)?.size ?? 0)
        return "\((size / 1e6).fixed(1)) MB"
    }
}
