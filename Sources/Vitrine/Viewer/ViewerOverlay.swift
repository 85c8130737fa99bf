import VitrineMath
import VitrineRender

/// The text that a viewer shows over its scene: help, the result of a command, loading progress.
struct ViewerOverlay {
    /// The page of the help; nil if the help is hidden.
    private var helpPage: Int?
    private var message: (text: String, end: Double)?
    /// The progress of a file: "reading helmet.glb 45 %".
    private var progress: String?
    /// The time in seconds at which progress was last drawn.
    private var lastProgressFrame = -Double.infinity

    /// The duration of a message in seconds.
    static let messageDuration = 2.0
    static let failureDuration = 6.0
    /// The time in seconds between two frames of loading progress, because drawing slows down loading.
    private static let progressInterval = 0.25

    // MARK: Messages

    /// Replaces the message.
    ///
    /// - Parameter duration: The duration in seconds.
    mutating func show(_ text: String, at time: Double, duration: Double = ViewerOverlay.messageDuration) {
        message = (text, time + duration)
    }

    /// Shows the progress of a file, at most four times per second.
    ///
    /// - Returns: Whether a new frame is needed.
    mutating func showProgress(_ text: String, at time: Double) -> Bool {
        progress = text
        guard time - lastProgressFrame >= Self.progressInterval else { return false }
        lastProgressFrame = time
        return true
    }

    mutating func hideProgress() { progress = nil }

    /// Returns the time in seconds until the text changes; nil if it does not change.
    func remaining(at time: Double) -> Double? { message.map { max(0, $0.end - time) } }

    // MARK: Help

    var showsHelp: Bool { helpPage != nil }

    /// Shows the help or its next page; after the last page, hides the help.
    ///
    /// - Parameter size: The size of the view in points.
    mutating func turnHelpPage(_ size: Vector2) {
        let next = (helpPage ?? -1) + 1
        helpPage = next < ViewerHelp.pages(size).count ? next : nil
    }

    mutating func closeHelp() { helpPage = nil }

    // MARK: Drawing

    /// Returns the texts of a frame.
    ///
    /// - Parameters:
    ///   - label: A line that is always shown, such as the name of the debug view.
    ///   - size: The size of the view in points.
    mutating func texts(label: String?, size: Vector2, at time: Double) -> [OverlayText] {
        if let message, time >= message.end { self.message = nil }
        if let page = helpPage {
            let pages = ViewerHelp.pages(size)
            return [OverlayText(pages[min(page, pages.count - 1)], at: .center)]
        }
        let lines = [progress, message?.text, label].compactMap { $0 }
        return lines.isEmpty ? [] : [OverlayText(lines, at: .bottomLeft, wrapsLines: true)]
    }
}
