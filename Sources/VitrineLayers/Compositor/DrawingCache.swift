import VitrineGPU
import VitrineGeometry

/// The textures of `.drawing` fills, redrawn when their content or size changes.
final class DrawingCache {
    private struct Entry {
        let drawing: LayerDrawing
        let texture: CachedTexture
        let target: LayerSurface
        let asked: Rectangle
        var changeCount: UInt64
    }

    private let device: GPUDevice
    private var entries: [Entry] = []
    /// The number of the current frame.
    private var frame: UInt64 = 0

    init(_ device: GPUDevice) { self.device = device }

    /// Starts a frame: the textures that it uses are kept.
    func beginFrame(_ number: UInt64) { frame = number }

    func texture(
        of drawing: LayerDrawing, bounds: Rectangle, scale: Float, _ renderer: LayerRenderer
    ) throws(LayerError) -> CachedTexture {
        let scale = min(scale, greatestScale(bounds))
        let index = entries.firstIndex { $0.drawing === drawing && $0.asked == bounds && $0.target.scale == scale }
        if let index {
            let known = entries[index]
            known.texture.use(in: frame)
            guard known.changeCount != drawing.changeCount else { return known.texture }
            try drawing.content.draw(into: known.target, renderer)
            entries[index].changeCount = drawing.changeCount
            known.texture.contentDidChange()
            return known.texture
        }
        let target = try attempting("creating a texture for a drawing") { () throws(GPUError) in
            try LayerSurface(device, bounds: bounds, scale: scale, label: "drawing")
        }
        try drawing.content.draw(into: target, renderer)
        let texture = CachedTexture(target.texture, target.view, bounds: target.bounds)
        texture.use(in: frame)
        // A drawing may fill several layers of different sizes; unused sizes are removed by `purge`.
        entries.append(Entry(drawing: drawing, texture: texture, target: target, asked: bounds, changeCount: drawing.changeCount))
        return texture
    }

    func purge(unusedSince frame: UInt64) { entries.removeAll { $0.texture.lastUse < frame } }

    /// The memory in bytes.
    var memory: Int { entries.reduce(0) { $0 + $1.texture.memory } }

    private func greatestScale(_ bounds: Rectangle) -> Float {
        Float(device.limits.maxTextureDimension2D) / max(bounds.size.x, bounds.size.y, 1)
    }
}
