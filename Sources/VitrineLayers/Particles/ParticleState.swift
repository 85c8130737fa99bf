import VitrineGPU
import VitrineMath

/// What the GPU holds of one cloud: its particles, 48 bytes each, and the numbers of the frame.
final class ParticleState {
    static let stride = 48

    let device: GPUDevice
    let particles, frame: GPUBuffer
    let count: Int
    /// Pixels per unit of the cloud, when it was last drawn.
    var scale: Float = 1

    init(_ device: GPUDevice, count: Int) throws(GPUError) {
        (self.device, self.count) = (device, count)
        // Zeros: no births yet.
        particles = try device.makeBuffer("particles", size: count * Self.stride, usage: [.storage, .copySource])
        frame = try device.makeBuffer("particle frame", size: ParticleFrame.byteCount, usage: [.uniform, .copyDestination])
    }
}

/// The numbers of one frame as the shaders read them.
struct ParticleFrame {
    static let byteCount = 16 * (4 + 8 + 16) + 4 * 20

    private var words: [UInt32] = []

    /// - Parameters:
    ///   - size: Of the area that the cloud is drawn in, in the cloud's units.
    ///   - scale: Pixels per unit.
    init(_ cloud: ParticleCloud, ticks: Int, size: Vector2, scale: Float, clipFromUnits: Matrix4, time: Float) {
        let settings = cloud.settings
        words.reserveCapacity(Self.byteCount / 4)
        for column in [clipFromUnits.x, clipFromUnits.y, clipFromUnits.z, clipFromUnits.w] { add(column) }
        for index in 0..<8 { add(settings.colors[min(index, settings.colors.count - 1)].premultiplied) }
        for index in 0..<8 {
            let stage = settings.stages[min(index, settings.stages.count - 1)]
            add(Vector4(stage.tint.linear.xyz, stage.tint.linear.w * stage.opacity))
            add(Vector4(stage.age, stage.size, 0, 0))
        }
        let center = Vector2(Self.share(cloud.center.x), Self.share(cloud.center.y)) * size
        for pair in [size, center, settings.velocity, Vector2(settings.radius.lowerBound, settings.radius.upperBound)] {
            add(pair.x)
            add(pair.y)
        }
        for value in [settings.lifetime, settings.captureDistance, clamp(cloud.progress, 0, 1), time] { add(value) }
        words += [UInt32(truncatingIfNeeded: cloud.tick), UInt32(ticks), UInt32(settings.count), settings.seed]
        words += [UInt32(settings.colors.count), UInt32(settings.stages.count), scale.bitPattern, 0]
    }

    func write(to state: ParticleState) { state.device.queue.write(words, to: state.frame) }

    private mutating func add(_ value: Float) { words.append(value.bitPattern) }
    private mutating func add(_ v: Vector4) { for index in 0..<4 { add(v[index]) } }

    /// Fingers may be outside, but not nowhere.
    private static func share(_ value: Float) -> Float { value.isFinite ? clamp(value, -100, 100) : 0.5 }
}
