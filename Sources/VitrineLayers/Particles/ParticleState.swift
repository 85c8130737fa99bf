import VitrineGPU
import VitrineMath
import VitrineRender

/// The state of one cloud on the GPU: its particles and the uniforms of the frame.
final class ParticleState {
    let device: GPUDevice
    let particles, frame: GPUBuffer
    let count: Int
    /// The number of pixels per unit of the cloud at the last draw.
    var scale: Float = 1

    init(_ device: GPUDevice, count: Int) throws(GPUError) {
        (self.device, self.count) = (device, count)
        // Zeros: no particle is born yet.
        particles = try device.makeBuffer("particles", size: count * Particle.byteCount, usage: [.storage, .copySource])
        frame = try device.makeBuffer("particle frame", size: ParticleFrame.byteCount, usage: [.uniform, .copyDestination])
    }
}

/// A particle in the layout of the shaders; zeros if it is not born yet. Lengths are in the cloud's unit.
struct Particle: ShaderStructure {
    /// The colour, premultiplied and linear.
    var color = Vector4()
    /// The position from the upper left corner, y down.
    var position = Vector2(0, 0)
    /// The velocity per tick.
    var velocity = Vector2(0, 0)
    var radius: Float = 0
    /// The number of ticks since the birth.
    var life: Float = 0
    var births: UInt32 = 0
    /// The state of the random number generator.
    var chance: UInt32 = 0

    static let name = "Particle"
    static let fields: [ShaderField<Particle>] = [
        .init("color") { $0.color }, .init("position") { $0.position }, .init("velocity") { $0.velocity }, .init("radius") { $0.radius },
        .init("life") { $0.life }, .init("births") { $0.births }, .init("chance") { $0.chance },
    ]
}

/// The uniforms of one frame in the layout of the shaders. Lengths are in the cloud's unit.
struct ParticleFrame: ShaderStructure {
    var clipFromUnits: ShaderMatrix4
    var colors: ShaderVectors8
    /// The tints of the stages with their opacity, straight.
    var stageTints: ShaderVectors8
    /// The ages and sizes of the stages; two components are unused.
    var stageSizes: ShaderVectors8
    /// The size of the area in which the cloud is drawn.
    var size: Vector2
    var center: Vector2
    var velocity: Vector2
    /// The minimum and maximum radius.
    var radius: Vector2
    var lifetime: Float
    var captureDistance: Float
    var progress: Float
    /// The time in seconds.
    var time: Float
    var tick: UInt32
    /// The number of ticks to simulate.
    var ticks: UInt32
    var count: UInt32
    var seed: UInt32
    var colorCount: UInt32
    var stageCount: UInt32
    /// The number of pixels per unit.
    var scale: Float

    static let name = "ParticleFrame"
    static let fields: [ShaderField<ParticleFrame>] = [
        .init("clipFromUnits") { $0.clipFromUnits }, .init("colors") { $0.colors }, .init("stageTints") { $0.stageTints },
        .init("stageSizes") { $0.stageSizes }, .init("size") { $0.size }, .init("center") { $0.center }, .init("velocity") { $0.velocity },
        .init("radius") { $0.radius }, .init("lifetime") { $0.lifetime }, .init("captureDistance") { $0.captureDistance },
        .init("progress") { $0.progress }, .init("time") { $0.time }, .init("tick") { $0.tick }, .init("ticks") { $0.ticks },
        .init("count") { $0.count }, .init("seed") { $0.seed }, .init("colorCount") { $0.colorCount },
        .init("stageCount") { $0.stageCount }, .init("scale") { $0.scale },
    ]

    /// Creates the parameters of one frame.
    ///
    /// - Parameters:
    ///   - size: The size of the area in which the cloud is drawn, in the cloud's units.
    ///   - scale: The number of pixels per unit.
    init(_ cloud: ParticleCloud, ticks: Int, size: Vector2, scale: Float, clipFromUnits: Matrix4, time: Float) {
        let settings = cloud.settings
        self.clipFromUnits = ShaderMatrix4(clipFromUnits)
        colors = ShaderVectors8(settings.colors.map { $0.premultiplied })
        stageTints = ShaderVectors8(settings.stages.map { Vector4($0.tint.linear.xyz, $0.tint.linear.w * $0.opacity) })
        stageSizes = ShaderVectors8(settings.stages.map { Vector4($0.age, $0.size, 0, 0) })
        self.size = size
        center = Vector2(Self.share(cloud.center.x), Self.share(cloud.center.y)) * size
        velocity = settings.velocity
        radius = Vector2(settings.radius.lowerBound, settings.radius.upperBound)
        (lifetime, captureDistance) = (settings.lifetime, settings.captureDistance)
        (progress, self.time) = (clamp(cloud.progress, 0, 1), time)
        (tick, self.ticks) = (UInt32(truncatingIfNeeded: cloud.tick), UInt32(ticks))
        (count, seed) = (UInt32(settings.count), settings.seed)
        (colorCount, stageCount) = (UInt32(settings.colors.count), UInt32(settings.stages.count))
        self.scale = scale
    }

    func write(to state: ParticleState) { state.device.queue.write([self], to: state.frame) }

    /// Returns a coordinate of the centre. Pointers may be outside the area; coordinates that are not finite count as its centre.
    private static func share(_ value: Float) -> Float { value.isFinite ? clamp(value, -100, 100) : 0.5 }
}
