import VitrineGPU
import VitrineMath

/// Something that draws itself into a layer's picture: a 3D scene, a cloud of particles.
public protocol LayerDrawing: AnyObject {
    /// Rises when it would draw something else: then, and when the picture's size changes, `draw` is called.
    var changeCount: UInt64 { get }

    /// Draws all of `picture`, which may hold anything, and hands the work to the queue.
    ///
    /// - Parameters:
    ///   - picture: Covers the layer's bounds: `picture.bounds` in points, `picture.scale` texels a point.
    ///   - renderer: Of the frame: its device, and what it has in store.
    func draw(into picture: LayerPicture, _ renderer: LayerRenderer) throws(LayerError)
}
