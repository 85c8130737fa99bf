import VitrineMath
import VitrineMotion

/// A canvas of the page: a viewer of models, or a view of layers.
package protocol PageCanvas: AnyObject {
    /// The viewer, if the canvas shows models.
    var viewer: PageViewer? { get }

    /// Requests a frame even if nothing has changed.
    func setNeedsDisplay()

    /// Sets the size of the canvas.
    ///
    /// - Parameters:
    ///   - width, height: The size in pixels.
    ///   - points: The size in CSS pixels.
    func resize(width: Int, height: Int, points: Vector2)

    /// Handles an event of the page.
    ///
    /// - Parameter isInput: Whether the event is an action of the user; false for movements without a button.
    /// - Returns: Whether a key has an effect on the canvas.
    func handle(_ event: InputEvent, isInput: Bool) -> Bool

    /// Advances to a time in seconds and draws if anything has changed.
    func frame(at time: Double) throws(PageError) -> PageFrame

    /// The number of draw calls, triangles and bytes of GPU memory of the last frame.
    var counts: (drawCalls: Int, triangles: Int, gpuMemory: Int) { get }
}

/// The result of `PageCanvas.frame(at:)`.
package struct PageFrame {
    package var needsAnother = false
    package var hasCameraMoved = false
    package var hasDrawn = false
    package init() {}
}
