#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Pieces of inline SVG.
struct SVG {
    private(set) var body = ""
    let width: Double
    let height: Double

    init(width: Double, height: Double) { (self.width, self.height) = (width, height) }

    mutating func add(_ element: String) { body += element + "\n" }

    mutating func line(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, _ style: String) {
        add("<line x1=\"\(n(x1))\" y1=\"\(n(y1))\" x2=\"\(n(x2))\" y2=\"\(n(y2))\" \(style)/>")
    }

    mutating func circle(_ x: Double, _ y: Double, _ radius: Double, _ style: String, title: String? = nil) {
        let inner = title.map { "<title>\(escaped($0))</title>" } ?? ""
        add("<circle cx=\"\(n(x))\" cy=\"\(n(y))\" r=\"\(n(radius))\" \(style)>\(inner)</circle>")
    }

    mutating func rectangle(_ x: Double, _ y: Double, _ width: Double, _ height: Double, _ style: String, title: String? = nil) {
        let inner = title.map { "<title>\(escaped($0))</title>" } ?? ""
        add("<rect x=\"\(n(x))\" y=\"\(n(y))\" width=\"\(n(width))\" height=\"\(n(height))\" \(style)>\(inner)</rect>")
    }

    mutating func text(_ x: Double, _ y: Double, _ text: String, _ style: String = "") {
        add("<text x=\"\(n(x))\" y=\"\(n(y))\" \(style)>\(escaped(text))</text>")
    }

    mutating func path(_ commands: String, _ style: String, title: String? = nil) {
        let inner = title.map { "<title>\(escaped($0))</title>" } ?? ""
        add("<path d=\"\(commands)\" \(style)>\(inner)</path>")
    }

    var markup: String {
        "<svg viewBox=\"0 0 \(n(width)) \(n(height))\" role=\"img\">\n\(body)</svg>"
    }
}

/// A number in SVG's notation, rounded to a hundredth.
func n(_ value: Double) -> String {
    guard value.isFinite else { return "0" }
    let rounded = (value * 100).rounded() / 100
    return rounded == rounded.rounded() && abs(rounded) < 1e9 ? String(Int(rounded)) : String(rounded)
}

/// Text that is safe inside HTML and its attributes.
func escaped(_ text: String) -> String {
    var result = ""
    for character in text {
        switch character {
        case "&": result += "&amp;"
        case "<": result += "&lt;"
        case ">": result += "&gt;"
        case "\"": result += "&quot;"
        case "'": result += "&#39;"
        default: result.append(character)
        }
    }
    return result
}
