import Vitrine

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The HTML of a page around one viewer.
struct WebPage {
    let title: String
    let alternativeText: String
    let model: WebFile
    let environment: WebFile?
    let poster: WebFile?
    /// The attributes of the element except the files and the description, in order. nil: an attribute without a value.
    let attributes: [(name: String, value: String?)]

    /// The files of a folder. The page comes last.
    var folder: [WebFile] {
        [WebViewer.element, WebViewer.runtime, WebViewer.wasm, WebViewer.meshopt, model] + [environment, poster].compactMap { $0 } + [
            WebFile(name: "style.css", bytes: Array(Self.style.utf8)), WebFile(name: "index.html", bytes: Array(indexHTML.utf8)),
        ]
    }

    /// The page of a folder. It satisfies the content security policy that it sets.
    var indexHTML: String {
        let policy =
            "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'"
        let note = "To see the model in 3D, open this page from a web server, in a browser with JavaScript."
        let image = poster.map { "<img slot=\"fallback\" src=\"\($0.name)\" alt=\"\(Self.escape(alternativeText))\">" } ?? ""
        return """
            \(head(policy: policy))
            <link rel="stylesheet" href="style.css">
            \(preloads)<script type="module" src="\(WebViewer.element.name)"></script>
            </head>
            <body>
            <!-- The viewer. Copy this element, the script above and the files of this folder into your own page. -->
            \(element(model: model.name, environment: environment?.name, poster: poster?.name))\(image)<p slot="fallback">\(note)</p></vitrine-viewer>
            </body>
            </html>

            """
    }

    /// Starts all downloads with the page, instead of one after the other. None if the page waits for a click.
    private var preloads: String {
        guard !attributes.contains(where: { $0.name == "reveal" }) else { return "" }
        let files = [WebViewer.wasm.name, model.name, environment?.name].compactMap { $0 }
        return "<link rel=\"modulepreload\" href=\"\(WebViewer.runtime.name)\">\n"
            + files.map { "<link rel=\"preload\" href=\"\($0)\" as=\"fetch\" crossorigin>\n" }.joined()
    }

    /// One HTML file that contains the viewer and the model.
    var singleFile: String {
        let policy =
            "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval' blob:; style-src 'unsafe-inline'; "
            + "img-src data: blob:; connect-src data: blob:"
        let image = poster.map { "data:\(Self.mediaType(of: $0.name));base64," + InlineData($0.bytes, compresses: false).base64 }
        let environmentAddress = environment.map { "#vitrine-environment.\($0.name.pathExtension)" }
        let data = [("vitrine-model.glb", model), environment.map { ("vitrine-environment." + $0.name.pathExtension, $0) }]
        return """
            \(head(policy: policy))
            <style>
            \(Self.style)</style>
            </head>
            <body>
            \(element(model: "#vitrine-model.glb", environment: environmentAddress, poster: image))\
            <p slot="fallback">To see the model in 3D, open this page in a browser with JavaScript.</p></vitrine-viewer>
            \(Self.inlineViewer(data: data.compactMap { $0 }.map { (id: $0.0, bytes: $0.1.bytes) }))
            </body>
            </html>

            """
    }

    /// The viewer's script and its files as text of a page, and other data that `src="#id"` names.
    static func inlineViewer(data: [(id: String, bytes: [UInt8])]) -> String {
        let files =
            data + [(id: WebViewer.runtime.name, bytes: WebViewer.runtime.bytes), (id: WebViewer.wasm.name, bytes: WebViewer.wasm.bytes)]
        let scripts = files.map { file in
            let inline = InlineData(file.bytes)
            let encoding = inline.isCompressed ? " data-encoding=\"gzip\"" : ""
            return "<script type=\"application/octet-stream\" id=\"\(file.id)\"\(encoding)>\(inline.base64)</script>"
        }
        let source = String(decoding: WebViewer.element.bytes, as: UTF8.self)
        precondition(!source.contains("</script") && !source.contains("<!--"), "the viewer's script cannot be embedded in HTML")
        return (scripts + ["<script type=\"module\">\n\(source)</script>"]).joined(separator: "\n")
    }

    /// The page up to the last element of its head.
    private func head(policy: String) -> String {
        """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="generator" content="vitrine \(vitrineVersion)">
        <link rel="icon" href="data:,">
        <meta http-equiv="Content-Security-Policy" content="\(policy)">
        <title>\(Self.escape(title))</title>
        """
    }

    private func element(model: String, environment: String?, poster: String?) -> String {
        var all: [(name: String, value: String?)] = [("src", model)]
        if let environment { all.append(("environment", environment)) }
        if let poster { all.append(("poster", poster)) }
        all.append(("alt", alternativeText))
        return "<vitrine-viewer \(Self.markup(of: all + attributes))>"
    }

    /// Attributes as HTML. nil: an attribute without a value.
    static func markup(of attributes: [(name: String, value: String?)]) -> String {
        attributes.map { name, value in value.map { "\(name)=\"\(escape($0))\"" } ?? name }.joined(separator: " ")
    }

    /// Text for HTML and for attribute values in double quotes.
    static func escape(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;").replacing("\"", with: "&quot;")
    }

    static func mediaType(of name: String) -> String {
        switch name.pathExtension {
        case "webp": "image/webp"
        case "png": "image/png"
        case "jpg", "jpeg": "image/jpeg"
        default: "application/octet-stream"
        }
    }

    /// The note below the poster appears if the viewer's script has not started after three seconds.
    private static let style = """
        :root { color-scheme: light dark }
        html, body { height: 100%; margin: 0; background: Canvas; color: CanvasText; font: 16px/1.5 system-ui, sans-serif }
        vitrine-viewer { display: block; width: 100%; height: 100vh; height: 100dvh }
        vitrine-viewer:not(:defined) { position: relative; overflow: hidden }
        vitrine-viewer > img { width: 100%; height: 100%; object-fit: contain }
        vitrine-viewer > p { position: absolute; inset: auto 0 1rem; margin: 0; padding: 0 1rem; text-align: center; animation: note 0s 3s both }
        @keyframes note { from { visibility: hidden } to { visibility: visible } }

        """
}
