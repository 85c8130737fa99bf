import Vitrine

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The summary of a batch: a page of HTML, and JSON.
struct BatchPage {
    let title: String
    /// The results in the order of the objects.
    let results: [BatchResult]
    /// The duration of this run, in seconds.
    let seconds: Double
    /// The folder of the page: links are relative to it.
    let folder: URL

    func count(_ state: BatchResult.State) -> Int { results.count { $0.state == state } }

    private struct Document: Encodable {
        let complete, failed, waiting: Int
        let seconds: Double
        let objects: [BatchResult]
    }

    func json() throws -> [UInt8] {
        Array(
            try JSONReport.data(
                Document(
                    complete: count(.complete), failed: count(.failed), waiting: count(.waiting), seconds: (seconds * 10).rounded() / 10,
                    objects: results)))
    }

    var html: String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
        <title>\(WebPage.escape(title)): batch</title>
        <style>\(Self.style)</style>
        </head>
        <body>
        <h1>\(WebPage.escape(title))</h1>
        <p>\(lead)</p>
        <table>
        <thead><tr><th>object</th><th>result</th><th>files</th><th>photos used</th><th>triangles</th><th>time</th><th>peak memory</th></tr></thead>
        <tbody>
        \(results.map(row).joined(separator: "\n"))
        </tbody>
        </table>
        </body>
        </html>

        """
    }

    private var lead: String {
        var parts = ["\(count(.complete).grouped) of \(results.count.grouped) objects are complete"]
        if count(.failed) > 0 { parts.append("<b>\(count(.failed).grouped) failed</b>") }
        if count(.waiting) > 0 { parts.append("\(count(.waiting).grouped) are waiting: run the same command again") }
        return parts.joined(separator: ", ") + ". This run took \(ProgressLine.duration(seconds))."
    }

    private func row(_ result: BatchResult) -> String {
        let files = result.files.map { path -> String in
            let relative = ReconstructFiles.path(of: URL(fileURLWithPath: path), from: folder)
            return
                "<a href=\"\(WebPage.escape(Self.percentEncoded(relative)))\">\(WebPage.escape(URL(fileURLWithPath: path).lastPathComponent))</a>"
        }
        var text = WebPage.escape(result.state.rawValue)
        if let reason = result.reason, result.state == .failed { text += ": " + WebPage.escape(Self.text(of: reason, object: result.name)) }
        if !result.warnings.isEmpty {
            let lines = result.warnings.map { "<li>\(WebPage.escape($0))</li>" }.joined()
            text +=
                "<details><summary>\(result.warnings.count) \(result.warnings.count == 1 ? "warning" : "warnings")</summary><ul>\(lines)</ul></details>"
        }
        let photos = result.photos.map { "\(result.photosUsed ?? 0) of \($0)" } ?? ""
        let time = result.seconds > 0 ? ProgressLine.duration(result.seconds) + (result.wasRestored ? ", earlier" : "") : ""
        let memory = result.peakMemoryMb.map { "\(Int($0).grouped) MB" } ?? ""
        return """
            <tr class="\(result.state.rawValue)"><th>\(WebPage.escape(result.name))</th><td>\(text)</td><td>\(files.joined(separator: "<br>"))</td>\
            <td>\(photos)</td><td>\(result.triangles.map(\.grouped) ?? "")</td><td>\(time)</td><td>\(memory)</td></tr>
            """
    }

    /// The reason without the path of the object, whose name is in the first column.
    static func text(of reason: String, object name: String) -> String {
        let parts = reason.split(separator: ": ", maxSplits: 1)
        guard parts.count == 2, parts[0] == name || parts[0].hasSuffix("/" + name) else { return reason }
        return String(parts[1])
    }

    private static let style = """
        body{margin:2rem auto;max-width:1180px;padding:0 1rem;color:#1d2026;background:#fbfaf8;font:16px/1.5 system-ui,sans-serif}
        table{width:100%;border-collapse:collapse;font-size:14px;background:#fff}th{text-align:left;font-weight:500}
        td,tbody th{padding:6px 12px 6px 8px;border-top:1px solid #e3e6ea;vertical-align:top;overflow-wrap:break-word}td:not(:nth-child(2)){white-space:nowrap}thead th{padding:4px 8px;color:#667085;font-size:12px}
        .failed td:nth-child(2),b{color:#a3283a}.waiting td{color:#667085}a{color:#2f6f62}summary{cursor:pointer;color:#667085}ul{margin:4px 0;padding-left:18px}
        @media(max-width:700px){thead{display:none}tr,td,tbody th{display:block}tr{border-top:1px solid #e3e6ea;padding:8px 0}td,tbody th{border:0;padding:1px 8px}tbody th{font-weight:700}td:empty{display:none}
        td:nth-child(4)::before{content:"photos used: "}td:nth-child(5)::before{content:"triangles: "}td:nth-child(6)::before{content:"time: "}td:nth-child(7)::before{content:"peak memory: "}}
        """

    private static func percentEncoded(_ path: String) -> String {
        path.utf8.map { byte -> String in
            let character = Character(UnicodeScalar(byte))
            if character.isASCII, character.isLetter || character.isNumber || "/._-~".contains(character) { return String(character) }
            let digits = String(byte, radix: 16, uppercase: true)
            return "%" + (digits.count == 1 ? "0" : "") + digits
        }.joined()
    }
}
