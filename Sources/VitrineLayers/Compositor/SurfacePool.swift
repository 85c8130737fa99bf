import VitrineGPU
import VitrineGeometry

/// Textures that pictures are drawn into, used again from picture to picture and from frame to frame.
///
/// Work on the GPU runs in the order in which it is recorded, so a texture is free as soon as what reads it has been recorded.
final class SurfacePool {
    /// Textures that nobody uses are let go beyond this many bytes, the ones first that have lain longest.
    static let greatestIdleMemory = 256 << 20

    private struct Free {
        let texture: GPUTexture
        let view: GPUTextureView
    }

    private let device: GPUDevice
    /// The one that was given back last is at the end.
    private var free: [Free] = []

    init(_ device: GPUDevice) { self.device = device }

    /// A picture of these pixels, which hold anything. - Parameter scale: Pixels a point.
    func take(_ region: PixelRectangle, scale: Double, offset: SIMD2<Double> = SIMD2(0, 0)) throws(GPUError) -> LayerSurface {
        let s = Float(scale)
        let origin = Vector2((SIMD2(Double(region.x), Double(region.y)) - offset) / scale)
        let bounds = Rectangle(origin: origin, size: Vector2(Float(region.width), Float(region.height)) / s)
        if let index = free.lastIndex(where: { $0.texture.width == region.width && $0.texture.height == region.height }) {
            let found = free.remove(at: index)
            return LayerSurface(found.texture, found.view, bounds: bounds, scale: s)
        }
        let texture = try device.makeTexture(
            GPUTextureDescriptor(
                "layers", size: GPUExtent(region.width, region.height), format: LayerSurface.format, usage: LayerSurface.usage))
        return LayerSurface(texture, try texture.makeView(), bounds: bounds, scale: s)
    }

    func giveBack(_ surface: LayerSurface) { free.append(Free(texture: surface.texture, view: surface.view)) }

    /// At the end of a frame.
    func trim() {
        var kept = 0
        var index = free.count
        while index > 0, kept <= Self.greatestIdleMemory {
            index -= 1
            kept += free[index].texture.width * free[index].texture.height * 8
        }
        if kept > Self.greatestIdleMemory { free.removeFirst(index + 1) }
    }

    func purge() { free = [] }

    /// Bytes of textures that are free.
    var memory: Int { free.reduce(0) { $0 + $1.texture.width * $1.texture.height * 8 } }
}
