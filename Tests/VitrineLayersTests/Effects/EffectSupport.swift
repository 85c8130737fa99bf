import VitrineGPU
import VitrineMath
import VitrineScene

@testable import VitrineLayers

/// Draws effects over a small surface whose texels are known.
final class EffectBench {
    let device: GPUDevice
    let renderer: EffectRenderer
    let transfer: ImageTransfer

    init() throws {
        device = try GPUDevice.make(.automatic)
        renderer = try EffectRenderer(device)
        transfer = ImageTransfer(device)
    }

    /// Linear, straight alpha, by the middle of each pixel in pixels.
    static func image(width: Int, height: Int, _ paint: (_ x: Float, _ y: Float) -> Vector4) -> Image {
        var bytes: [UInt8] = []
        for y in 0..<height {
            for x in 0..<width {
                let color = paint(Float(x) + 0.5, Float(y) + 0.5)
                for channel in 0..<4 { withUnsafeBytes(of: color[channel].bitPattern.littleEndian) { bytes += $0 } }
            }
        }
        // Four floats for each pixel.
        return try! Image(width: width, height: height, format: .rgba32Float, bytes: bytes, name: "painted")
    }

    /// Premultiplied linear texels, and the surface that they are of.
    func draw(
        _ effects: [ShaderEffect], over image: Image, scale: Float = 1, bounds: Rectangle? = nil
    ) throws -> (texels: Texels, surface: LayerSurface) {
        let surface = try transfer.surface(of: image, scale: scale)
        let encoder = try device.makeCommandEncoder("effects")
        let result = try renderer.apply(effects, to: surface, bounds: bounds, with: encoder)
        device.queue.submit(try encoder.finish())
        return (try Texels(result), result)
    }
}

/// The content of a surface, read back.
struct Texels {
    let width, height: Int
    let values: [Vector4]

    init(_ surface: LayerSurface) throws {
        (width, height) = (surface.texture.width, surface.texture.height)
        let halves = try surface.texture.read().withUnsafeBytes { raw in
            (0..<raw.count / 2).map { Float(Float16(bitPattern: raw.loadUnaligned(fromByteOffset: 2 * $0, as: UInt16.self))) }
        }
        values = stride(from: 0, to: halves.count, by: 4).map { Vector4(halves[$0], halves[$0 + 1], halves[$0 + 2], halves[$0 + 3]) }
    }

    private init(_ width: Int, _ height: Int, _ values: [Vector4]) { (self.width, self.height, self.values) = (width, height, values) }

    /// The same in sRGB's levels, premultiplied. Values above alpha are light that is added as over black.
    var encoded: Texels {
        func level(_ x: Float, _ alpha: Float) -> Float {
            x <= alpha ? alpha * sRGBFromLinear(x / max(alpha, 1e-9)) : sRGBFromLinear(x - alpha + linearFromSRGB(alpha))
        }
        return Texels(width, height, values.map { Vector4(level($0.x, $0.w), level($0.y, $0.w), level($0.z, $0.w), $0.w) })
    }

    subscript(x: Int, y: Int) -> Vector4 { values[y * width + x] }

    /// Linear filter as if transparent texels lay around, `x` and `y` in texels.
    func sample(_ x: Float, _ y: Float) -> Vector4 {
        let (left, top) = ((x - 0.5).rounded(.down), (y - 0.5).rounded(.down))
        func texel(_ x: Float, _ y: Float) -> Vector4 {
            x < 0 || y < 0 || x >= Float(width) || y >= Float(height) ? .zero : self[Int(x), Int(y)]
        }
        let (a, b) = (x - 0.5 - left, y - 0.5 - top)
        let upper = mix(texel(left, top), texel(left + 1, top), a)
        return mix(upper, mix(texel(left, top + 1), texel(left + 1, top + 1), a), b)
    }
}
