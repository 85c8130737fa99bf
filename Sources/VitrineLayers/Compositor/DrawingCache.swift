import VitrineGPU
import VitrineMath

/// The pictures of fills that draw themselves: drawn anew when they say that they have changed, or when another size is asked for.
final class DrawingCache {
    private struct Entry {
        let drawing: LayerDrawing
        let picture: CachedPicture
        let target: LayerPicture
        let asked: Rectangle
        var changeCount: UInt64
    }

    private let device: GPUDevice
    private var entries: [ObjectIdentifier: Entry] = [:]
    /// The running frame.
    var frame: UInt64 = 0

    init(_ device: GPUDevice) { self.device = device }

    func picture(
        of drawing: LayerDrawing, bounds: Rectangle, scale: Float, _ renderer: LayerRenderer
    ) throws(LayerError) -> CachedPicture {
        let identity = ObjectIdentifier(drawing)
        if var known = entries[identity], known.asked == bounds, known.target.scale == scale {
            known.picture.lastUse = frame
            guard known.changeCount != drawing.changeCount else { return known.picture }
            try drawing.draw(into: known.target, renderer)
            known.changeCount = drawing.changeCount
            entries[identity] = known
            return known.picture
        }
        let target = try attempting("making a picture for a drawing") { () throws(GPUError) in
            try LayerPicture(device, bounds: bounds, scale: min(scale, greatestScale(bounds)), label: "drawing")
        }
        try drawing.draw(into: target, renderer)
        let picture = CachedPicture(target.texture, target.view, bounds: target.bounds)
        picture.lastUse = frame
        entries[identity] = Entry(
            drawing: drawing, picture: picture, target: target, asked: bounds, changeCount: drawing.changeCount)
        return picture
    }

    func purge(unusedSince frame: UInt64) { entries = entries.filter { $0.value.picture.lastUse >= frame } }

    /// Bytes.
    var memory: Int { entries.values.reduce(0) { $0 + $1.picture.memory } }

    private func greatestScale(_ bounds: Rectangle) -> Float {
        Float(device.limits.maxTextureDimension2D) / max(bounds.size.x, bounds.size.y, 1)
    }
}
