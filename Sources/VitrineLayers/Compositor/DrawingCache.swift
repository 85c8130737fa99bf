import VitrineGPU
import VitrineGeometry

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
    private var entries: [Entry] = []
    /// The running frame.
    var frame: UInt64 = 0

    init(_ device: GPUDevice) { self.device = device }

    func picture(
        of drawing: LayerDrawing, bounds: Rectangle, scale: Float, _ renderer: LayerRenderer
    ) throws(LayerError) -> CachedPicture {
        let scale = min(scale, greatestScale(bounds))
        let index = entries.firstIndex { $0.drawing === drawing && $0.asked == bounds && $0.target.scale == scale }
        if let index {
            let known = entries[index]
            known.picture.lastUse = frame
            guard known.changeCount != drawing.changeCount else { return known.picture }
            try drawing.draw(into: known.target, renderer)
            entries[index].changeCount = drawing.changeCount
            known.picture.version += 1
            return known.picture
        }
        let target = try attempting("making a picture for a drawing") { () throws(GPUError) in
            try LayerPicture(device, bounds: bounds, scale: scale, label: "drawing")
        }
        try drawing.draw(into: target, renderer)
        let picture = CachedPicture(target.texture, target.view, bounds: target.bounds)
        picture.lastUse = frame
        // One drawing may be in several layers of different sizes; those of sizes that are gone go with the next purge.
        entries.append(Entry(drawing: drawing, picture: picture, target: target, asked: bounds, changeCount: drawing.changeCount))
        return picture
    }

    func purge(unusedSince frame: UInt64) { entries.removeAll { $0.picture.lastUse < frame } }

    /// Bytes.
    var memory: Int { entries.reduce(0) { $0 + $1.picture.memory } }

    private func greatestScale(_ bounds: Rectangle) -> Float {
        Float(device.limits.maxTextureDimension2D) / max(bounds.size.x, bounds.size.y, 1)
    }
}
