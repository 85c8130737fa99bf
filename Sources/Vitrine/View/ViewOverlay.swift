import VitrineMath
import VitrineRender

/// The text that a viewer shows over its scene: help, the result of a key, loading progress.
struct ViewOverlay {
    /// The page of the help that is shown; nil: none.
    private(set) var helpPage: Int?
    /// A file that is loading: "reading helmet.glb 45 %".
    var loading: String?
    private var message: (text: String, end: Double)?

    /// Seconds that a message stays.
    static let messageDuration = 2.0
    static let failureDuration = 6.0

    /// Replaces the message.
    ///
    /// - Parameter duration: Seconds.
    mutating func show(_ text: String, at time: Double, duration: Double = ViewOverlay.messageDuration) {
        message = (text, time + duration)
    }

    /// Seconds until the text changes by itself; nil: never.
    func remaining(at time: Double) -> Double? {
        message.map { max(0, $0.end - time) }
    }

    /// Shows the help, its next page, or after the last page nothing.
    mutating func turnHelpPage(_ size: Vector2) {
        let next = (helpPage ?? -1) + 1
        helpPage = next < Self.helpPages(size).count ? next : nil
    }

    mutating func closeHelp() { helpPage = nil }

    /// - Parameters:
    ///   - label: A line that is always shown, such as the debug view.
    ///   - size: Of the view, points.
    mutating func texts(label: String?, size: Vector2, at time: Double) -> [OverlayText] {
        if let message, time >= message.end { self.message = nil }
        if let page = helpPage {
            let pages = Self.helpPages(size)
            let index = min(page, pages.count - 1)
            return [OverlayText(pages[index], at: .center)]
        }
        let lines = [loading, message?.text, label].compactMap { $0 }
        return lines.isEmpty ? [] : [OverlayText(lines, at: .bottomLeft, wrapsLines: true)]
    }

    /// The help in two columns if they fit, otherwise in one that is as large as the width allows, on as many pages as the height needs.
    static func helpPages(_ size: Vector2) -> [[String]] {
        let columns = ViewCommand.helpLines(columns: 2)
        if OverlayText(columns).fittingScale(width: size.x, height: size.y) == 1 { return [columns] }
        let lines = ViewCommand.helpLines(columns: 1)
        let scale = OverlayText(lines).fittingScale(width: size.x, height: .infinity)
        // One row is for the page number.
        func fits(_ rows: Int) -> Bool {
            OverlayText(Array(repeating: "", count: rows)).fittingScale(width: size.x, height: size.y) >= scale
        }
        var rows = lines.count
        if !fits(rows) { while rows > 4, !fits(rows + 1) { rows -= 1 } }
        if rows == lines.count { return [lines] }
        let pages = stride(from: 0, to: lines.count, by: rows).map { Array(lines[$0..<min($0 + rows, lines.count)]) }
        return pages.enumerated().map { index, page in
            page + ["\(index + 1) of \(pages.count)    H: \(index + 1 < pages.count ? "next page" : "close")"]
        }
    }
}
