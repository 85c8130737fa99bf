import VitrineVision

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Advice for the next capture, from the measurements of this one.
struct CaptureAdvice: Sendable {
    /// The pieces of advice, each of one sentence or two, the most useful first.
    let lines: [String]

    init(_ summary: ReconstructionSummary) {
        let facts = CaptureFacts(summary)
        lines = [
            facts.unreadable, facts.leftOut, facts.gap, facts.heights, facts.overlap, facts.blur, facts.texture, facts.depth, facts.light,
            facts.unseen, facts.resolution, facts.up, facts.scale,
        ].compactMap { $0 }
    }
}

private struct CaptureFacts {
    let summary: ReconstructionSummary
    let used: [ReconstructionSummary.Photo]
    let coverage: Coverage

    init(_ summary: ReconstructionSummary) {
        self.summary = summary
        used = summary.photos.filter { $0.state == .used }
        coverage = Coverage(summary)
    }

    var unreadable: String? {
        let names = summary.photos.filter { if case .invalid = $0.state { true } else { false } }.map(\.name)
        return names.isEmpty ? nil : "\(list(names)) cannot be used: take \(names.count == 1 ? "it" : "them") out of the folder."
    }

    var leftOut: String? {
        let names = summary.photos.filter { if case .leftOut = $0.state { true } else { false } }.map(\.name)
        guard !names.isEmpty else { return nil }
        return
            "\(list(names)) could not be aligned with the others: take photos in between, 10 to 15 degrees apart, so that each shows most of what its neighbours show."
    }

    /// Half-rings are often wanted (a wall, a relief): only gaps in a ring are reported.
    var gap: String? {
        guard let gap = coverage.widestGap, coverage.directions.count >= 6, gap.degrees > 35 else { return nil }
        guard !coverage.isOneSided else {
            return
                "The object was photographed from one side only (\(Int(360 - gap.degrees)) degrees): walk all around it for a model that is whole."
        }
        return
            "No photo was taken over \(Int(gap.degrees)) degrees between \(gap.before) and \(gap.after): add \(Int((gap.degrees / 15).rounded())) there."
    }

    var heights: String? {
        guard let range = coverage.elevationRange, coverage.directions.count >= 6 else { return nil }
        if range.upperBound - range.lowerBound < 12 {
            let height = Int((range.lowerBound + range.upperBound) / 2)
            return
                "All photos were taken from about one height (\(height) degrees above the object's middle): add a ring some 25 degrees higher\(height > 20 ? " and one lower" : "")."
        }
        if range.upperBound < 30 {
            return
                "The highest photos are tilted down by \(Int(range.upperBound)) degrees only: add a ring from 45 degrees, for what faces up."
        }
        return nil
    }

    var overlap: String? {
        let names = used.filter { $0.matchedPhotos <= 2 }.map(\.name)
        guard !names.isEmpty, used.count > 4 else { return nil }
        return
            "\(list(names)) \(names.count == 1 ? "shares" : "share") features with two other photos at most: more overlap makes the model more reliable."
    }

    var blur: String? {
        let middle = median(used.map { Double($0.sharpness) })
        let names = used.filter { Double($0.sharpness) < 0.7 * middle }.map(\.name)
        return names.isEmpty
            ? nil
            : "\(list(names)) \(names.count == 1 ? "is" : "are") blurred against the others: hold still, use more light or a shorter exposure."
    }

    var texture: String? {
        let count = Int(median(used.map { Double($0.features) }))
        guard !used.isEmpty, count < 1_000 else { return nil }
        return
            "Half of the photos show fewer than \(max(count, 1)) distinctive points: put something with print (newspaper) under the object, or try --sensitivity high."
    }

    var depth: String? {
        let shares = used.compactMap { photo in photo.depthCoverage.map { $0 / max(0.05, photo.maskCoverage ?? 1) } }
        guard shares.count >= 3, median(shares) < 0.15 else { return nil }
        return
            "Depth was estimated in \(Int(median(shares) * 100)) % of the pixels only: plain, shiny or clear surfaces give none. Dust, talc or matting spray helps."
    }

    var light: String? {
        let dark = used.filter { $0.brightness < 0.25 }.count
        if dark * 2 > used.count { return "Most photos are dark: more light gives less noise." }
        let bright = used.filter { $0.brightness > 0.99 }.count
        if bright * 2 > used.count { return "Most photos are very bright: expose shorter, so that nothing is burnt out." }
        let values = used.map { Double($0.brightness) }.sorted()
        guard let first = values.first, let last = values.last, values.count >= 3, first > 0, last / first > 2 else { return nil }
        return "The photos' brightness differs by a factor of \((last / first).fixed(1)): lock the exposure."
    }

    var unseen: String? {
        guard let model = summary.models.last, model.unseenShare > 0.05 else { return nil }
        return
            "\(Int((model.unseenShare * 100).rounded())) % of the model's surface is in no photo, mostly what faces down: turn the object over for a second set."
    }

    var resolution: String? {
        let width = median(used.map { Double(max($0.width, $0.height)) })
        guard !used.isEmpty, width < 1_000 else { return nil }
        return "The photos are \(Int(width)) pixels wide: 3,000 and more show finer relief."
    }

    var up: String? {
        summary.upSource.hasPrefix("nothing")
            ? "The photos do not show which way is up: hold the camera level, or keep the table in the image." : nil
    }

    var scale: String? {
        guard !summary.isMetric, !used.isEmpty else { return nil }
        return "The model has no true size: measure the object's longest side and give it as --scale size:METRES."
    }

    private func list(_ names: [String]) -> String {
        names.count <= 4 ? names.joined(separator: ", ") : names.prefix(3).joined(separator: ", ") + " and \(names.count - 3) more"
    }
}
