import VitrineGPU
import VitrineGeometry

/// A pool of textures for surfaces, reused within a frame and between frames.
///
/// The GPU executes commands in the order of recording: a texture is free as soon as the commands that read it are recorded.
final class SurfacePool {
    /// The largest memory of free textures in bytes. Beyond it, the textures that have been free for longest are released.
    static let greatestIdleMemory = 256 << 20

    private struct Free {
        let texture: GPUTexture
        let view: GPUTextureView
    }

    private let device: GPUDevice
    /// The free textures, in the order in which they were returned.
    private var free: [Free] = []

    init(_ device: GPUDevice) { self.device = device }

    /// Returns a surface of these pixels with undefined content. - Parameter scale: Pixels per point.
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

    func recycle(_ surface: LayerSurface) { free.append(Free(texture: surface.texture, view: surface.view)) }

    /// Releases textures beyond the limit; call it at the end of a frame.
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

    /// The memory of free textures in bytes.
    var memory: Int { free.reduce(0) { $0 + $1.texture.width * $1.texture.height * 8 } }
}
