import VitrineMath
import VitrineRender

/// The table of gestures and keys of a viewer.
enum ViewerHelp {
    private static let rows = [
        ("left drag, one finger", "turn the camera"), ("wheel, pinch", "nearer, farther"),
        ("right drag, two fingers", "move the camera"), ("shift + drag", "turn the environment"),
        ("double click", "turn around that point"), ("arrows", "turn"),
        ("shift + arrows", "move"), ("+ -", "nearer, farther"),
        ("F", "show the whole scene"), ("R Home", "back to the start"),
        ("C", "next camera of the file"), ("O", "perspective, orthographic"),
        ("Space", "play, pause"), ("N", "next animation"),
        (", .", "turn the environment"), ("B", "next background"),
        ("PageUp PageDown", "brighter, darker"), ("T", "next tone mapping"),
        ("M", "antialiasing on, off"), ("D, shift + D", "next, previous debug view"),
        ("S", "statistics"), ("F11", "full screen"),
        ("P F12", "write an image"), ("H F1", "this help"),
        ("Esc Q", "close"),
    ]

    /// Returns the lines of the list of keys.
    ///
    /// - Parameter columns: 1 or 2.
    static func lines(columns: Int) -> [String] {
        func pad(_ text: String, _ width: Int) -> String { text + String(repeating: " ", count: max(0, width - text.count)) }
        let keys = rows.map(\.0.count).max() ?? 0
        let width = keys + 2 + (rows.map(\.1.count).max() ?? 0) + 3
        let cells = rows.map { pad($0.0, keys + 2) + $0.1 }
        let height = (cells.count + columns - 1) / columns
        let table = (0..<height).map { row in
            let line = (0..<columns).map { $0 * height + row }.filter { $0 < cells.count }.map { cells[$0] }
            return line.count > 1 ? pad(line[0], width) + line[1] : line[0]
        }
        let drop = ["Drop a model or an environment image on the window to show it."]
        return table + (columns == 1 ? ["Drop a model or an environment", "image on the window to show it."] : drop)
    }

    /// Returns the pages of the help in a view of `size` points: two columns on one page if they fit, otherwise one column as large as the width allows,
    /// on as many pages as the height requires.
    static func pages(_ size: Vector2) -> [[String]] {
        let columns = lines(columns: 2)
        if OverlayText(columns).fittingScale(width: size.x, height: size.y) == 1 { return [columns] }
        let lines = lines(columns: 1)
        let scale = OverlayText(lines).fittingScale(width: size.x, height: .infinity)
        // One row is reserved for the page number.
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
