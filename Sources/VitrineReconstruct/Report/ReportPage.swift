import VitrineFiles
import VitrineScene

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The report of a reconstruction: one page of HTML without external resources or scripts. The report of `vitrine reconstruct` also contains the
/// viewer of web pages with the model; apps that link this module do not pay for its 1.6 MB.
///
/// ```swift
/// let page = ReportPage(session.summary!)
/// try Data(page.html.utf8).write(to: URL(filePath: "report.html"), options: .atomic)
/// ```
public struct ReportPage: Sendable {
    let summary: ReconstructionSummary
    let images: [(caption: String, image: Image)]
    private let viewer: ModelViewer?

    /// The model in 3D, in place of the first image, which becomes its poster.
    package struct ModelViewer: Sendable {
        /// The attributes of the element `<vitrine-viewer>` as HTML.
        package let attributes: String
        /// The elements at the end of the page: the script of the viewer and its data.
        package let scripts: String
        /// A description of the embedded model for the table of results.
        package let facts: String

        package init(attributes: String, scripts: String, facts: String) {
            (self.attributes, self.scripts, self.facts) = (attributes, scripts, facts)
        }
    }

    /// Creates the report.
    ///
    /// - Parameters:
    ///   - summary: The statistics of the run.
    ///   - images: Renderings of the model with their captions, opaque, 8 bits per channel.
    public init(_ summary: ReconstructionSummary, images: [(caption: String, image: Image)] = []) {
        self.init(summary, images: images, viewer: nil)
    }

    /// Creates a report.
    ///
    /// - Parameter viewer: The model in 3D. Ignored without images.
    package init(_ summary: ReconstructionSummary, images: [(caption: String, image: Image)], viewer: ModelViewer?) {
        (self.summary, self.images, self.viewer) = (summary, images, images.isEmpty ? nil : viewer)
    }

    /// The page as HTML.
    public var html: String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta http-equiv="Content-Security-Policy" content="\(policy)">
        <title>\(escaped(title)): reconstruction</title>
        <style>\(ReportStyle.css)</style>
        </head>
        <body>
        \(header)
        <main>
        \(sections.joined(separator: "\n"))
        </main>
        <footer>Made by Vitrine. All numbers are from this run.</footer>
        \(viewer?.scripts ?? "")
        </body>
        </html>

        """
    }

    /// The sections of the page in their order, each an HTML element; empty for a section without data.
    private var sections: [String] { [advice, views, cloud, video, contactSheet, errors, costs, facts] }

    /// Nothing from elsewhere; scripts only for the viewer.
    private var policy: String {
        let scripts = viewer == nil ? "" : "; script-src 'unsafe-inline' 'wasm-unsafe-eval' blob:; connect-src data: blob:"
        return "default-src 'none'; style-src 'unsafe-inline'; img-src data: blob:\(scripts)"
    }

    private var title: String { summary.models.compactMap(\.url).last?.lastPathComponent ?? summary.settings.first?.value ?? "Photos" }

    // MARK: Head

    private var header: String {
        let figures = images.dropFirst(viewer == nil ? 0 : 1).map { image in
            "<figure>\(ReportPage.image(image.image, alt: image.caption))<figcaption>\(escaped(image.caption))</figcaption></figure>"
        }.joined()
        return """
            <header>
            <h1>\(escaped(title))</h1>
            <p class="lead">\(escaped(lead))</p>
            \(model)
            \(figures.isEmpty ? "" : "<div class=\"hero\">\(figures)</div>")
            <dl class="chips">\(chips)</dl>
            </header>
            """
    }

    /// The model in 3D.
    private var model: String {
        guard let viewer, let first = images.first else { return "" }
        let poster = ReportPage.image(first.image, alt: first.caption, attributes: " slot=\"poster\"")
        return """
            <figure class="model"><vitrine-viewer \(viewer.attributes)>\(poster)</vitrine-viewer>
            <figcaption>Click or touch the model to turn it.</figcaption></figure>
            """
    }

    private var lead: String {
        let used = summary.usedCount
        guard used > 0 else { return "None of the \(summary.photos.count) photos could be aligned." }
        let left = summary.photos.count - used
        return "\(used) of \(summary.photos.count) photos are used for the model" + (left > 0 ? "; \(left) are not." : ".")
    }

    private var chips: String {
        var chips: [(String, String)] = [
            ("photos used", "\(summary.usedCount) / \(summary.photos.count)"),
            ("mean error", "\(summary.meanReprojectionError.fixed(2)) px"),
        ]
        if summary.densePoints > 0 { chips.append(("points", summary.densePoints.grouped)) }
        if let model = summary.models.last {
            chips.append(("triangles", model.triangles.grouped))
            chips.append(("texture", "\(model.textureDimension.grouped)²"))
        }
        if let bounds = summary.bounds {
            let unit = summary.isMetric ? " m" : ""
            let sides = [bounds.size.x, bounds.size.y, bounds.size.z].map { $0.significant(3) }
            chips.append(("size", sides.joined(separator: " × ") + unit))
        }
        chips.append(("time", ReportPage.duration(summary.seconds)))
        if let peak = summary.steps.compactMap(\.peakMemory).max() { chips.append(("peak memory", ReportPage.bytes(peak))) }
        return chips.map { "<div><dt>\(escaped($0.0))</dt><dd>\(escaped($0.1))</dd></div>" }.joined()
    }

    private var advice: String {
        let lines = CaptureAdvice(summary).lines
        let items = lines.isEmpty ? "<li>No problems: the photos were sharp, close enough together and all around.</li>" : ""
        let warnings = summary.warnings.map { "<li>\(escaped($0))</li>" }.joined()
        return """
            <section class="advice"><h2>Next time</h2><ul>\(items)\(lines.map { "<li>\(escaped($0))</li>" }.joined())</ul>
            \(warnings.isEmpty ? "" : "<h3>Warnings of this run</h3><ul class=\"warnings\">\(warnings)</ul>")</section>
            """
    }

    // MARK: Cameras

    private var views: String {
        guard summary.photos.contains(where: { $0.pose != nil }) else { return "" }
        let cameras = CameraViews(summary: summary)
        return """
            <section><h2>Where the photos were taken</h2>
            <div class="plans">
            <figure>\(CoverageDial(coverage: Coverage(summary)).markup)<figcaption>Coverage, viewed from above: straight above in the middle, the horizon at 0°. The darker, the more photos within 20°; dashed cells have none.</figcaption></figure>
            <figure>\(cameras.markup(.top))<figcaption>From above</figcaption></figure>
            <figure>\(cameras.markup(.front))<figcaption>From the front</figcaption></figure>
            </div></section>
            """
    }

    private var cloud: String {
        guard let bounds = summary.bounds, !summary.cloudSample.isEmpty else { return "" }
        let drawing = PointCloudImage(points: summary.cloudSample, bounds: bounds)
        var views: [(name: String, azimuth: Float, elevation: Float)] = summary.viewpoints.prefix(3).map { ($0.name, $0.azimuth, 15) }
        views.append(("above", 0, 75))
        let figures = views.compactMap { name, azimuth, elevation in
            drawing.image(azimuth: azimuth, elevation: elevation, side: 360).map {
                let alternative = name == "above" ? "points from above" : "points from the \(name)"
                return "<figure>\(ReportPage.image($0, alt: alternative))<figcaption>\(name)</figcaption></figure>"
            }
        }
        let count =
            summary.densePoints > 0 ? "\(summary.densePoints.grouped) points" : "\(summary.sparsePoints.grouped) points of the alignment"
        return
            "<section><h2>Points</h2><p>\(count); drawn are \(summary.cloudSample.count.grouped).</p><div class=\"clouds\">\(figures.joined())</div></section>"
    }

    // MARK: Photos

    private var video: String {
        guard let video = summary.video else { return "" }
        let names: [(ReconstructionSummary.Video.FrameState, String)] = [
            (.chosen, "chosen as photos"), (.similar, "similar to a chosen one"), (.still, "without motion"), (.blurred, "blurred"),
            (.overexposed, "overexposed"), (.underexposed, "too dark"),
        ]
        let counts = names.filter { video.count($0.0) > 0 }.map { "\(video.count($0.0).grouped) \($0.1)" }
        return """
            <section><h2>Frames of the video</h2>
            <p>\(escaped(video.name)): \(video.frames.count.grouped) frames; \(counts.joined(separator: ", ")).</p>
            <figure class="timeline">\(VideoTimeline(video: video).markup)<figcaption>Sharpness over time, in seconds. Lines mark the chosen frames; blurred and badly exposed frames are red, frames without motion grey.</figcaption></figure>
            </section>
            """
    }

    private var contactSheet: String {
        let sharpest = summary.photos.map(\.sharpness).max() ?? 0
        let cells = summary.photos.map { photo -> String in
            let (kind, label) = photo.state.label
            let image =
                photo.thumbnail.isEmpty
                ? "<div class=\"blank\">no image</div>"
                : "<img loading=\"lazy\" alt=\"\(escaped(photo.name))\" style=\"\(ReportPage.turn(photo.orientation.rawValue))\" src=\"data:image/jpeg;base64,\(Data(photo.thumbnail).base64EncodedString())\">"
            let sharpness = sharpest > 0 ? Int((photo.sharpness / sharpest * 100).rounded()) : 0
            let meter =
                photo.thumbnail.isEmpty
                ? "" : "<div class=\"meter\" title=\"sharpness \(sharpness) % of the sharpest\"><i style=\"width:\(sharpness)%\"></i></div>"
            return
                "<figure class=\"photo \(kind)\"><div class=\"frame\">\(image)</div>\(meter)<figcaption><b>\(escaped(photo.name))</b><span>\(escaped(label))</span></figcaption></figure>"
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
                "<tr><th>\(escaped(photo.name))</th><td class=\"bar\"><i style=\"width:\(n(share))%\"></i><span>\(photo.reprojectionError.fixed(2))</span></td><td>\(photo.observations.grouped)</td><td>\(photo.features.grouped)</td><td>\(photo.matchedPhotos)</td><td>\(depth)</td></tr>"
        }
        return """
            <section><h2>Errors by photo</h2>
            <details\(used.count <= 60 ? " open" : "")><summary>\(used.count) photos</summary><table class="errors">
            <thead><tr><th>photo</th><th>mean error, px</th><th>points observed</th><th>features</th><th>photos matched</th><th>depth coverage</th></tr></thead>
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
            "<section><h2>Time and memory</h2><table class=\"costs\"><thead><tr><th>step</th><th>time</th><th>peak memory</th></tr></thead><tbody>\(rows.joined())</tbody></table></section>"
    }

    private var facts: String {
        var lines = summary.settings
        lines.append(("up direction by", summary.upSource))
        lines.append(("scale", summary.scaleSource))
        for camera in summary.cameras { lines.append(("camera", camera)) }
        for model in summary.models {
            lines.append(
                (
                    "model, \(model.detail.rawValue)",
                    "\(model.triangles.grouped) triangles, \(model.vertices.grouped) vertices, \(model.textureDimension)² texels, \(Int((model.unseenShare * 100).rounded())) % of the surface unobserved"
                ))
            if let shading = model.removedShading {
                let light = shading.turnsWithObject ? "the object turned in the light" : "light at rest around the object"
                lines.append(
                    (
                        "base colour, \(model.detail.rawValue)",
                        "an estimate: shading of contrast \(shading.contrast.fixed(1)) divided out (\(light); explains \(Int((shading.explainedShare * 100).rounded())) % of the variation between nearby parts)"
                    ))
            }
        }
        if let viewer { lines.append(("model in this page", viewer.facts)) }
        let rows = lines.filter { !$0.value.isEmpty }.map { "<tr><th>\(escaped($0.name))</th><td>\(escaped($0.value))</td></tr>" }
        return "<section><h2>Settings and results</h2><table class=\"facts\"><tbody>\(rows.joined())</tbody></table></section>"
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
        case .pending: ("pending", "not processed")
        }
    }
}

extension ReportPage {
    /// Returns an element with the image as a JPEG inside the page.
    static func image(_ image: Image, alt: String, attributes: String = "") -> String {
        guard let bytes = try? ImageFile.encode(image, as: .jpeg(quality: 85)) else { return "" }
        return "<img\(attributes) alt=\"\(escaped(alt))\" src=\"data:image/jpeg;base64,\(Data(bytes).base64EncodedString())\">"
    }

    /// Turns a stored photo upright, in CSS.
    static func turn(_ orientation: Int) -> String {
        switch orientation {
        case 2: "transform:scaleX(-1)"
        case 3: "transform:rotate(180deg)"
        case 4: "transform:scaleY(-1)"
        case 5: "transform:rotate(90deg) scaleY(-1)"
        case 6: "transform:rotate(90deg)"
        case 7: "transform:rotate(-90deg) scaleY(-1)"
        case 8: "transform:rotate(-90deg)"
        default: ""
        }
    }

    static func duration(_ seconds: Double) -> String {
        if seconds < 10 { return "\(seconds.fixed(1)) s" }
        let whole = Int(seconds.rounded())
        return whole < 120 ? "\(whole) s" : "\(whole / 60) min \(whole % 60) s"
    }

    static func bytes(_ count: Int) -> String {
        count < 1_000_000_000 ? "\(Int((Double(count) / 1e6).rounded())) MB" : "\((Double(count) / 1e9).fixed(2)) GB"
    }
}

extension Int {
    /// The number with a comma before each group of three digits.
    package var grouped: String {
        var text = String(self)
        var offset = text.count - 3
        while offset > 0 {
            text.insert(",", at: text.index(text.startIndex, offsetBy: offset))
            offset -= 3
        }
        return text
    }
}

enum ReportStyle {
    static let css = """
        :root{--ink:#1d2026;--soft:#667085;--line:#e3e6ea;--paper:#fbfaf8;--card:#fff;--accent:#2f6f62;--accent2:#7fb3a5;--warn:#b4552d;--bad:#a3283a}
        *{box-sizing:border-box}body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 ui-sans-serif,system-ui,"Segoe UI",Helvetica,Arial,sans-serif;font-variant-numeric:tabular-nums}
        header,main,footer{max-width:1180px;margin:0 auto;padding:0 28px}header{padding-top:44px}
        h1{font-size:40px;line-height:1.1;margin:0;letter-spacing:-.02em;overflow-wrap:anywhere}h2{font-size:22px;margin:0 0 12px;letter-spacing:-.01em}h3{font-size:16px;margin:18px 0 6px}
        .lead{font-size:19px;color:var(--soft);margin:8px 0 22px}
        .hero{display:grid;grid-template-columns:repeat(auto-fit,minmax(230px,1fr));gap:10px;margin-bottom:22px}
        figure{margin:0}figcaption{font-size:13px;color:var(--soft);padding-top:6px}
        .hero img,.clouds img{width:100%;display:block;border-radius:10px}
        .model{margin-bottom:14px}.model vitrine-viewer{display:block;width:100%;height:min(560px,110vw);border-radius:14px;overflow:hidden;background:#e9e7e2}
        .model img{display:block;width:100%;height:100%;object-fit:contain}
        .chips{display:flex;flex-wrap:wrap;gap:10px;margin:0 0 10px}.chips div{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:9px 15px}
        .chips dt{font-size:12px;color:var(--soft)}.chips dd{margin:0;font-size:19px;font-weight:600}
        section{background:var(--card);border:1px solid var(--line);border-radius:14px;padding:24px 26px;margin:20px 0}
        .advice{border-left:5px solid var(--accent)}.advice ul{margin:0;padding-left:20px}.advice li{margin:5px 0}.warnings li{color:var(--warn);font-size:14px}
        .plans{display:grid;grid-template-columns:repeat(auto-fit,minmax(290px,1fr));gap:20px}.plans svg{width:100%;height:auto;background:#f6f7f7;border-radius:10px}
        .clouds{display:grid;grid-template-columns:repeat(auto-fit,minmax(200px,1fr));gap:12px}
        .timeline svg{width:100%;height:auto;background:#f6f7f7;border-radius:10px}.sharp{fill:none;stroke:#9aa3ad;stroke-width:1}.pick{stroke:#2f6f62;stroke-width:1}.flaw{fill:#a3283a;opacity:.25}.rest{fill:#98a2b3;opacity:.3}
        svg text{font:11px ui-sans-serif,system-ui,sans-serif;fill:var(--soft)}
        .cell{stroke:#fff;stroke-width:1}.cell0{fill:#fff;stroke:#d5d9de;stroke-dasharray:3 3}.cell1{fill:#dcebe6}.cell2{fill:#a9cfc3}.cell3{fill:#6ea898}
        .grid{fill:none;stroke:#9aa3ad;stroke-width:.8}.camera{fill:#17322c;stroke:#fff;stroke-width:1.2}
        .frustum{fill:rgba(47,111,98,.16);stroke:#2f6f62;stroke-width:.8;stroke-linejoin:round}.apex{fill:#17322c}.bounds{fill:none;stroke:#b4552d;stroke-width:1;stroke-dasharray:4 3}
        .sheet{display:grid;grid-template-columns:repeat(auto-fill,minmax(148px,1fr));gap:14px}
        .photo .frame{aspect-ratio:4/3;background:#eef0f1;border-radius:8px;overflow:hidden;display:flex;align-items:center;justify-content:center;border:3px solid transparent}
        .photo img{max-width:100%;max-height:100%;width:100%;height:100%;object-fit:contain}.photo.used .frame{border-color:var(--accent2)}
        .photo.dropped .frame{border-color:var(--warn)}.photo.invalid .frame{border-color:var(--bad)}.photo.dropped img{opacity:.6}
        .photo b{display:block;font-weight:600;color:var(--ink);overflow-wrap:anywhere}.photo span{display:block;line-height:1.3}
        .photo.dropped span{color:var(--warn)}.photo.invalid span{color:var(--bad)}.blank{color:var(--soft);font-size:13px}
        .meter{height:4px;background:#eef0f1;border-radius:2px;margin-top:5px;overflow:hidden}.meter i{display:block;height:100%;background:var(--accent2)}
        table{width:100%;border-collapse:collapse;font-size:14px}th{text-align:left;font-weight:500}thead th{color:var(--soft);font-size:12px;padding-bottom:4px}
        td,tbody th{padding:4px 10px 4px 0;border-top:1px solid var(--line)}tbody th{white-space:nowrap;max-width:240px;overflow:hidden;text-overflow:ellipsis}
        .bar{position:relative;min-width:170px}.bar i{position:absolute;left:0;top:5px;bottom:5px;background:#cfe3dc;border-radius:3px}.bar span{position:relative;padding-left:6px}.memory i{background:#e8ddcb}
        em{color:var(--soft);font-size:12px}summary{cursor:pointer;color:var(--soft);margin-bottom:8px}.facts th{width:180px;color:var(--soft)}.facts td{white-space:normal}
        footer{color:var(--soft);font-size:13px;padding-bottom:40px}
        @media print{section{break-inside:avoid}}
        """
}
