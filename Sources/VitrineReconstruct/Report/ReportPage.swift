import Foundation
import VitrineFiles
import VitrineScene

/// A picture for the report.
public struct ReportPicture: Sendable {
    public let caption: String
    /// Opaque, 8 bits.
    public let image: Image

    public init(caption: String, image: Image) { (self.caption, self.image) = (caption, image) }
}

/// A reconstruction told on one page of HTML that needs nothing else: no network, no script.
///
/// ```swift
/// let page = ReportPage(session.summary!, pictures: pictures)
/// try AtomicFile.write(Array(page.html.utf8), to: URL(filePath: "report.html"))
/// ```
public struct ReportPage: Sendable {
    let summary: ReconstructionSummary
    let pictures: [ReportPicture]

    /// - Parameter pictures: of the finished models, if they could be drawn.
    public init(_ summary: ReconstructionSummary, pictures: [ReportPicture] = []) {
        (self.summary, self.pictures) = (summary, pictures)
    }

    public var html: String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>\(escaped(title)): reconstruction</title>
        <style>\(ReportStyle.css)</style>
        </head>
        <body>
        \(header)
        <main>
        \(advice)
        \(views)
        \(cloud)
        \(contactSheet)
        \(errors)
        \(costs)
        \(facts)
        </main>
        <footer>Made by Vitrine. All numbers are from this run.</footer>
        </body>
        </html>

        """
    }

    private var title: String { summary.models.compactMap(\.url).last?.lastPathComponent ?? summary.settings.first?.value ?? "Photos" }

    // MARK: Head

    private var header: String {
        let images = pictures.map { picture in
            "<figure>\(ReportPage.image(picture.image, alt: picture.caption))<figcaption>\(escaped(picture.caption))</figcaption></figure>"
        }.joined()
        return """
            <header>
            <h1>\(escaped(title))</h1>
            <p class="lead">\(escaped(lead))</p>
            \(images.isEmpty ? "" : "<div class=\"hero\">\(images)</div>")
            <dl class="chips">\(chips)</dl>
            </header>
            """
    }

    private var lead: String {
        let used = summary.usedCount
        guard used > 0 else { return "None of the \(summary.photos.count) photos found its place." }
        let left = summary.photos.count - used
        return "\(used) of \(summary.photos.count) photos became part of the model" + (left > 0 ? "; \(left) did not." : ".")
    }

    private var chips: String {
        var chips: [(String, String)] = [
            ("photos used", "\(summary.usedCount) / \(summary.photos.count)"),
            ("mean error", String(format: "%.2f px", summary.meanReprojectionError)),
        ]
        if summary.densePoints > 0 { chips.append(("points", grouped(summary.densePoints))) }
        if let model = summary.models.last {
            chips.append(("triangles", grouped(model.triangles)))
            chips.append(("texture", "\(grouped(model.textureDimension))²"))
        }
        if let bounds = summary.bounds {
            let unit = summary.isMetric ? " m" : ""
            let sides = [bounds.size.x, bounds.size.y, bounds.size.z].map { String(format: "%.3g", $0) }
            chips.append(("size", sides.joined(separator: " × ") + unit))
        }
        chips.append(("time", ReportPage.duration(summary.seconds)))
        if let peak = summary.steps.compactMap(\.peakMemory).max() { chips.append(("peak memory", ReportPage.bytes(peak))) }
        return chips.map { "<div><dt>\(escaped($0.0))</dt><dd>\(escaped($0.1))</dd></div>" }.joined()
    }

    private var advice: String {
        let lines = CaptureAdvice(summary).lines
        let items = lines.isEmpty ? "<li>Nothing to complain of: the photos were sharp, close enough together and all around.</li>" : ""
        let warnings = summary.warnings.map { "<li>\(escaped($0))</li>" }.joined()
        return """
            <section class="advice"><h2>Next time</h2><ul>\(items)\(lines.map { "<li>\(escaped($0))</li>" }.joined())</ul>
            \(warnings.isEmpty ? "" : "<h3>Warnings of this run</h3><ul class=\"warnings\">\(warnings)</ul>")</section>
            """
    }

    // MARK: Where from

    private var views: String {
        guard summary.photos.contains(where: { $0.pose != nil }) else { return "" }
        let cameras = CameraViews(summary: summary)
        return """
            <section><h2>Where the photos were taken</h2>
            <div class="plans">
            <figure>\(CoverageDial(coverage: Coverage(summary)).markup)<figcaption>Coverage, seen from above: straight above in the middle, the horizon at 0°. The darker, the more photos within 20°; dashed cells have none.</figcaption></figure>
            <figure>\(cameras.markup(.top))<figcaption>From above</figcaption></figure>
            <figure>\(cameras.markup(.front))<figcaption>From the front</figcaption></figure>
            </div></section>
            """
    }

    private var cloud: String {
        guard let bounds = summary.bounds, !summary.cloudSample.isEmpty else { return "" }
        let drawing = CloudPicture(points: summary.cloudSample, bounds: bounds)
        let turns: [(Float, Float, String)] = [(0, 15, "front"), (90, 15, "right"), (180, 15, "back"), (0, 75, "above")]
        let figures = turns.compactMap { turn in
            drawing.image(azimuth: turn.0, elevation: turn.1, side: 360).map {
                "<figure>\(ReportPage.image($0, alt: "points from the \(turn.2)"))<figcaption>\(turn.2)</figcaption></figure>"
            }
        }
        let count =
            summary.densePoints > 0 ? "\(grouped(summary.densePoints)) points" : "\(grouped(summary.sparsePoints)) points of the alignment"
        return
            "<section><h2>What they agree on</h2><p>\(count); drawn are \(grouped(summary.cloudSample.count)).</p><div class=\"clouds\">\(figures.joined())</div></section>"
    }

    // MARK: Photos

    private var contactSheet: String {
        let sharpest = summary.photos.map(\.sharpness).max() ?? 0
        let cells = summary.photos.map { photo -> String in
            let (kind, label) = photo.state.label
            let picture =
                photo.thumbnail.isEmpty
                ? "<div class=\"blank\">no picture</div>"
                : "<img loading=\"lazy\" alt=\"\(escaped(photo.name))\" style=\"\(ReportPage.turn(photo.orientation.rawValue))\" src=\"data:image/jpeg;base64,\(Data(photo.thumbnail).base64EncodedString())\">"
            let sharpness = sharpest > 0 ? Int((photo.sharpness / sharpest * 100).rounded()) : 0
            let meter =
                photo.thumbnail.isEmpty
                ? "" : "<div class=\"meter\" title=\"sharpness \(sharpness) % of the sharpest\"><i style=\"width:\(sharpness)%\"></i></div>"
            return
                "<figure class=\"photo \(kind)\"><div class=\"frame\">\(picture)</div>\(meter)<figcaption><b>\(escaped(photo.name))</b><span>\(escaped(label))</span></figcaption></figure>"
        }
        return
            "<section><h2>Contact sheet</h2><p>The bar under each photo is its sharpness against the sharpest.</p><div class=\"sheet\">\(cells.joined())</div></section>"
    }

    private var errors: String {
        let used = summary.photos.filter { $0.state == .used }
        guard !used.isEmpty else { return "" }
        let largest = max(1e-9, used.map(\.reprojectionError).max() ?? 0)
        let rows = used.map { photo -> String in
            let share = photo.reprojectionError / largest * 100
            let depth = photo.depthCoverage.map { "\(Int(($0 * 100).rounded())) %" } ?? ""
            return
                "<tr><th>\(escaped(photo.name))</th><td class=\"bar\"><i style=\"width:\(n(share))%\"></i><span>\(String(format: "%.2f", photo.reprojectionError))</span></td><td>\(grouped(photo.observations))</td><td>\(grouped(photo.features))</td><td>\(photo.matchedPhotos)</td><td>\(depth)</td></tr>"
        }
        return """
            <section><h2>Errors by photo</h2>
            <details\(used.count <= 60 ? " open" : "")><summary>\(used.count) photos</summary><table class="errors">
            <thead><tr><th>photo</th><th>mean error, px</th><th>points seen</th><th>features</th><th>photos matched</th><th>depth found</th></tr></thead>
            <tbody>\(rows.joined())</tbody></table></details></section>
            """
    }

    // MARK: Cost

    private var costs: String {
        guard !summary.steps.isEmpty else { return "" }
        let longest = max(1e-9, summary.steps.map(\.seconds).max() ?? 0)
        let most = max(1, summary.steps.compactMap(\.peakMemory).max() ?? 0)
        let rows = summary.steps.map { step -> String in
            let memory = step.peakMemory.map {
                "<td class=\"bar memory\"><i style=\"width:\(n(Double($0) / Double(most) * 100))%\"></i><span>\(ReportPage.bytes($0))</span></td>"
            }
            let note = step.wasRestored ? " <em>from the checkpoint</em>" : ""
            return
                "<tr><th>\(escaped(step.name))\(note)</th><td class=\"bar\"><i style=\"width:\(n(step.seconds / longest * 100))%\"></i><span>\(ReportPage.duration(step.seconds))</span></td>\(memory ?? "<td></td>")</tr>"
        }
        return
            "<section><h2>Time and memory</h2><table class=\"costs\"><thead><tr><th>step</th><th>time</th><th>most memory held</th></tr></thead><tbody>\(rows.joined())</tbody></table></section>"
    }

    private var facts: String {
        var lines = summary.settings
        lines.append(("up is known by", summary.upSource))
        lines.append(("scale", summary.scaleSource))
        for camera in summary.cameras { lines.append(("camera", camera)) }
        for model in summary.models {
            lines.append(
                (
                    "model, \(model.detail.rawValue)",
                    "\(grouped(model.triangles)) triangles, \(grouped(model.vertices)) vertices, \(model.textureDimension)² texels, \(Int((model.unseenShare * 100).rounded())) % of the surface unseen"
                ))
        }
        let rows = lines.filter { !$0.value.isEmpty }.map { "<tr><th>\(escaped($0.name))</th><td>\(escaped($0.value))</td></tr>" }
        return "<section><h2>Settings and findings</h2><table class=\"facts\"><tbody>\(rows.joined())</tbody></table></section>"
    }
}

extension ReconstructionSummary.PhotoState {
    /// A class for the style sheet, and words for people.
    fileprivate var label: (kind: String, text: String) {
        switch self {
        case .used: ("used", "used")
        case .invalid(let reason): ("invalid", reason)
        case .duplicate(let other): ("dropped", "a copy of \(other)")
        case .leftOut(let reason): ("dropped", reason)
        case .pending: ("pending", "not reached")
        }
    }
}
