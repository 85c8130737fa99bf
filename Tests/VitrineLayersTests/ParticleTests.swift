import Testing
import VitrineGPU
import VitrineGeometry

@testable import VitrineLayers

/// The rules of a cloud on the processor: the reference for the GPU.
private struct ReferenceParticle {
    var color = Vector4(0, 0, 0, 0)
    var position = Vector2(0, 0)
    var velocity = Vector2(0, 0)
    var radius: Float = 0
    var life: Float = 0
    var births: UInt32 = 0
    var chance: UInt32 = 0

    static func hash(_ value: UInt32) -> UInt32 {
        let state = value &* 747_796_405 &+ 2_891_336_453
        let word = ((state >> ((state >> 28) + 4)) ^ state) &* 277_803_737
        return (word >> 22) ^ word
    }

    mutating func random() -> Float {
        chance = Self.hash(chance)
        return Float(chance >> 8) / 16_777_216
    }

    mutating func tick(_ index: Int, _ settings: ParticleSettings, size: Vector2, center: Vector2) {
        if births == 0 { chance = Self.hash(settings.seed ^ Self.hash(UInt32(index))) }
        let way = center - position
        if births == 0 || length(way) < settings.captureDistance || life > settings.lifetime {
            color = settings.colors[min(Int(random() * Float(settings.colors.count)), settings.colors.count - 1)].premultiplied
            radius = settings.radius.lowerBound + (settings.radius.upperBound - settings.radius.lowerBound) * random()
            let x = random()
            position = Vector2(x, random()) * size
            (velocity, life) = (settings.velocity, 0)
            births += 1
        } else {
            position += way / length(way) * length(velocity)
            life += 1
        }
    }
}

@Suite struct ParticleTests {
    private let device: GPUDevice
    private let renderer: ParticleRenderer

    init() throws {
        device = try GPUDevice.make(.automatic)
        renderer = try ParticleRenderer(device)
    }

    private func surface(_ width: Float = 320, _ height: Float = 240, scale: Float = 1) throws -> LayerSurface {
        let surface = try LayerSurface(device, bounds: Rectangle(x: 0, y: 0, width: width, height: height), scale: scale)
        return surface
    }

    private func draw(_ cloud: ParticleCloud, over surface: LayerSurface) throws {
        let encoder = try device.makeCommandEncoder("particles")
        try renderer.draw(cloud, over: surface, encoder)
        device.queue.submit(try encoder.finish())
        try device.checkErrors()
    }

    /// Draws one frame a tick.
    private func run(_ cloud: ParticleCloud, ticks: Int, over surface: LayerSurface) throws {
        for tick in 0...ticks {
            cloud.advance(to: Double(tick) / 60)
            if tick > 0 { try draw(cloud, over: surface) }
        }
    }

    private func particles(_ cloud: ParticleCloud) throws -> [ReferenceParticle] {
        let words = try #require(cloud.state).particles.read(as: Float.self)
        return stride(from: 0, to: words.count, by: 12).map { at in
            ReferenceParticle(
                color: Vector4(words[at], words[at + 1], words[at + 2], words[at + 3]), position: Vector2(words[at + 4], words[at + 5]),
                velocity: Vector2(words[at + 6], words[at + 7]), radius: words[at + 8], life: words[at + 9],
                births: words[at + 10].bitPattern, chance: words[at + 11].bitPattern)
        }
    }

    @Test func simulationMatchesTheReference() throws {
        let cloud = ParticleCloud()
        cloud.settings.seed = 7
        (cloud.center, cloud.progress) = (Vector2(0.25, 0.75), 1)
        try run(cloud, ticks: 130, over: try surface())
        var expected = [ReferenceParticle](repeating: ReferenceParticle(), count: 32)
        for _ in 0..<130 {
            for index in expected.indices {
                expected[index].tick(index, cloud.settings, size: Vector2(320, 240), center: Vector2(80, 180))
            }
        }
        let found = try particles(cloud)
        #expect(cloud.tick == 130 && found.count == 32)
        for (a, b) in zip(found, expected) {
            // One that is just as far as the capture distance may be caught a tick earlier: none is here.
            #expect(a.births == b.births && a.life == b.life && a.chance == b.chance)
            #expect(distance(a.position, b.position) < 1e-2 && abs(a.radius - b.radius) < 1e-3 && lengthSquared(a.color - b.color) < 1e-6)
        }
        #expect(found.contains { $0.births > 1 })
    }

    /// The reference's numbers: length((5, 5)) = 7.07 per tick, at 3 pixels per point a third of that in points, and the same of radii and of the
    /// capture distance.
    @Test(arguments: [(ParticleUnit.points, Float(1)), (.points, 3), (.pixels, 1), (.pixels, 3)])
    func lengthsUseTheUnitOfTheSettings(unit: ParticleUnit, scale: Float) throws {
        let cloud = ParticleCloud(ParticleSettings(count: 200, radius: 12...12))
        cloud.settings.unit = unit
        (cloud.center, cloud.progress) = (Vector2(0.5, 0.5), 1)
        let target = try surface(320, 240, scale: scale)
        let unitsPerPoint = unit == .pixels ? scale : 1
        let center = Vector2(160, 120) * unitsPerPoint
        try run(cloud, ticks: 3, over: target)
        let before = try particles(cloud)
        cloud.advance(to: 4.0 / 60)
        try draw(cloud, over: target)
        let after = try particles(cloud)
        var moved = 0
        for (a, b) in zip(before, after) where a.births == b.births {
            #expect(abs(distance(a.position, center) - distance(b.position, center) - 7.0711) < 1e-2)
            #expect(distance(a.position, center) >= 20 && a.radius == 12)
            moved += 1
        }
        #expect(moved > 150)
        // In drawn pixels: one particle that does not move, at its full size.
        let still = ParticleFunction(
            source: """
                fn still(particle: Particle, frame: ParticleFrame) -> Particle {
                    var p = particle;
                    p.births = 1u; p.color = vec4f(1.0); p.position = frame.size / 4.0; p.radius = 12.0; p.life = frame.lifetime;
                    return p;
                }
                """, name: "still")
        let one = ParticleCloud(ParticleSettings(count: 1, update: still))
        (one.settings.unit, one.progress) = (unit, 1)
        let sheet = try surface(320, 240, scale: scale)
        try run(one, ticks: 1, over: sheet)
        let halves = try self.halves(sheet)
        let (width, row) = (Int(320 * scale), Int(60 * scale))
        let lit = (0..<width).filter { float(half: halves[4 * (row * width + $0)]) > 0.5 }
        #expect(abs(lit.count - Int(24 * scale / unitsPerPoint)) <= 1, "\(lit.count) pixels wide")
        #expect(abs(Float(lit.reduce(0, +)) / Float(lit.count) + 0.5 - 80 * scale) < 1)
    }

    @Test func nothingIsComputedAtProgressZero() throws {
        let cloud = ParticleCloud()
        let target = try surface()
        try run(cloud, ticks: 10, over: target)
        #expect(renderer.updateCount == 0 && renderer.drawCount == 0 && cloud.tick == 0 && cloud.state == nil)
        cloud.progress = 1
        cloud.advance(to: 11.0 / 60)
        try draw(cloud, over: target)
        #expect(renderer.updateCount == 1 && renderer.drawCount == 1 && cloud.tick == 1)
        // Invisible again: the target is unchanged.
        cloud.progress = 0
        cloud.advance(to: 20)
        try draw(cloud, over: target)
        #expect(renderer.updateCount == 1 && cloud.tick == 1)
    }

    /// A button at rest requests no frames, although its cloud is advanced.
    @Test func anInvisibleDrawingIsNotRedrawn() throws {
        let (drawing, studio) = (ParticleDrawing(ParticleCloud()), try LayerStudio())
        let layer = Layer(frame: Rectangle(x: 0, y: 0, width: 64, height: 64))
        layer.fill = .drawing(drawing)
        func countAfter(_ time: Double) throws -> UInt64 {
            drawing.advance(to: time)
            _ = try studio.pixels(layer, 64, 64)
            return drawing.changeCount
        }
        let first = try countAfter(0)
        #expect(try countAfter(1) == first)
        drawing.cloud.progress = 1
        #expect(try countAfter(2) == first + 1)
        drawing.cloud.progress = 0
        // One more, so that the last particles go.
        #expect(try countAfter(3) == first + 2)
        #expect(try studio.area(layer, 64, 64) == 0)
        #expect(try countAfter(4) == first + 2)
    }

    @Test func ticksDoNotDependOnFrames() throws {
        var (whole, parts) = (ParticleClock(), ParticleClock())
        #expect(whole.advance(to: 5, ticksPerSecond: 60) == 0 && parts.advance(to: 5, ticksPerSecond: 60) == 0)
        var sum = 0
        for frame in 1...144 { sum += parts.advance(to: 5 + Double(frame) / 144, ticksPerSecond: 60) }
        #expect(sum == 60 && whole.advance(to: 6, ticksPerSecond: 60) == 60)
        // Backwards, and no time at all.
        #expect(whole.advance(to: 3, ticksPerSecond: 60) == 0 && whole.advance(to: .nan, ticksPerSecond: 60) == 0)
        #expect(whole.advance(to: 3 + 1.0 / 60, ticksPerSecond: 60) == 1)
        for frame in 1...600 { #expect(parts.advance(to: 6 + Double(frame) / 60, ticksPerSecond: 60) == 1) }
    }

    @Test func theSameSeedGivesTheSameBytes() throws {
        func bytes(_ seed: UInt32) throws -> [UInt8] {
            let cloud = ParticleCloud(ParticleSettings(count: 500, sprite: .soft))
            (cloud.settings.seed, cloud.progress) = (seed, 1)
            let target = try surface()
            try run(cloud, ticks: 40, over: target)
            return try target.texture.read()
        }
        let first = try bytes(3)
        #expect(first.contains { $0 != 0 })
        #expect(try bytes(3) == first)
        #expect(try bytes(4) != first)
    }

    /// The light of one disc: its area times its colour.
    @Test(arguments: ParticleSprite.allCases) func spritesAddTheirLight(_ sprite: ParticleSprite) throws {
        let still = ParticleFunction(
            source: """
                fn still(particle: Particle, frame: ParticleFrame) -> Particle {
                    var p = particle;
                    p.births = 1u;
                    p.color = vec4f(0.5, 0.25, 0.125, 1.0);
                    p.position = frame.center;
                    p.radius = 20.0;
                    p.life = 50.0;
                    return p;
                }
                """, name: "still")
        let cloud = ParticleCloud(ParticleSettings(count: 1, sprite: sprite, update: still))
        cloud.progress = 0.5
        cloud.center = Vector2(0.503, 0.498)
        let target = try surface(scale: 2)
        try run(cloud, ticks: 1, over: target)
        let halves = try self.halves(target)
        var sum: Float = 0
        for at in stride(from: 0, to: halves.count, by: 4) { sum += float(half: halves[at]) }
        // Radius 20 points at scale 2 and progress ½: 20 pixels. Colour ½ · opacity ½ (half its life) · progress ½.
        let share: Float =
            switch sprite {
            case .disc: 1
            // ∫ (1 − r²)² 2 r dr and its relatives.
            case .soft: 1 / 3
            case .glow: 0.6 / 5 + 0.4 * 0.09 / 3
            }
        let expected = Float.pi * 400 * 0.125 * share
        #expect(abs(sum / expected - 1) < 0.01, "\(sum) instead of \(expected)")
    }

    @Test func stagesChangeSizeAndColour() throws {
        var settings = ParticleSettings(count: 1, sprite: .disc)
        settings.stages = [
            ParticleStage(age: 0, size: 0), ParticleStage(age: 0.5, size: 1, tint: Color(linear: Vector4(1, 0, 0, 1))),
            ParticleStage(age: 1, size: 0.5, opacity: 0.5, tint: Color(linear: Vector4(0, 1, 0, 1))),
        ]
        settings.update = ParticleFunction(
            source: """
                fn aged(particle: Particle, frame: ParticleFrame) -> Particle {
                    var p = particle;
                    p.births = 1u; p.color = vec4f(1.0); p.position = frame.center; p.radius = 40.0; p.life = 75.0;
                    return p;
                }
                """, name: "aged")
        let cloud = ParticleCloud(settings)
        cloud.progress = 1
        let target = try surface()
        try run(cloud, ticks: 1, over: target)
        let halves = try self.halves(target)
        let middle = 4 * (120 * 320 + 160)
        let color: [Float] = (0..<4).map { float(half: halves[middle + $0]) }
        #expect(color == [0.375, 0.375, 0, 0.75])
        // Three quarters of 40 points to each side.
        let row = halves[480 * 320..<484 * 320]
        let covered = stride(from: row.startIndex + 3, to: row.endIndex, by: 4).count { float(half: row[$0]) > 0.01 }
        #expect(abs(covered - 60) <= 1)
    }

    @Test func errorsOfAFunctionHaveAPosition() throws {
        func refusal(_ source: String, name: String = "drift") throws -> String? {
            let cloud = ParticleCloud(ParticleSettings(update: ParticleFunction(source: source, name: name, file: "drift.wgsl", line: 0)))
            cloud.progress = 1
            do { try run(cloud, ticks: 1, over: try surface()) } catch { return "\(error)" }
            return nil
        }
        let wrongName = try refusal("// one\nfn drift(particle: Particle, frame: ParticleFrame) -> Particle {\n    return partcle;\n}")
        #expect(wrongName?.hasPrefix("drift.wgsl:3:") == true && wrongName?.contains("partcle") == true)
        let missing = try refusal("fn other() {}")
        #expect(
            missing?.hasPrefix("drift.wgsl:1: the source must declare 'fn drift(particle: Particle, frame: ParticleFrame) -> Particle'")
                == true)
        #expect(try refusal("fn drift(a: f32) -> f32 { return a; }") != nil)
        #expect(try refusal("fn born() {}\nfn drift(p: Particle, f: ParticleFrame) -> Particle { return p; }") != nil)
        #expect(try refusal("fn drift(p: Particle, f: ParticleFrame) -> Particle { return p; }") == nil)
        let deep = String(repeating: "(", count: 3000)
        let nested = try refusal("fn drift(p: Particle, f: ParticleFrame) -> Particle {\n let x = \(deep)1.0; return p; }")
        #expect(nested?.hasPrefix("drift.wgsl:2:") == true && nested?.contains("200 nested") == true, "\(nested ?? "")")
    }

    @Test func invalidSettingsDrawNothingOrThrow() throws {
        let nowhere = ParticleFunction(
            source: """
                fn nowhere(particle: Particle, frame: ParticleFrame) -> Particle {
                    var p = born(particle, frame);
                    p.position = bitcast<vec2f>(vec2u(0x7fc00000u, 0x7f800000u) + vec2u(frame.count & 0u));
                    return p;
                }
                """, name: "nowhere")
        let cloud = ParticleCloud(ParticleSettings(count: 100, update: nowhere))
        cloud.progress = 1
        let target = try surface()
        try run(cloud, ticks: 2, over: target)
        #expect(try target.texture.read().allSatisfy { $0 == 0 })
        // A touch that is nowhere gathers in the middle.
        let lost = ParticleCloud()
        (lost.center, lost.progress) = (Vector2(.nan, .infinity), 1)
        try run(lost, ticks: 60, over: target)
        #expect(try particles(lost).allSatisfy { $0.position.x.isFinite && $0.position.y.isFinite })
        for change: (inout ParticleSettings) -> Void in [
            { $0.count = 0 }, { $0.count = 1 << 40 }, { $0.colors = [] }, { $0.stages = [] }, { $0.lifetime = .nan },
            { $0.velocity.x = .infinity }, { $0.ticksPerSecond = 0 }, { $0.stages[0].age = 2 }, { $0.blending = .multiply },
            { $0.captureDistance = -1 },
        ] {
            let wrong = ParticleCloud()
            change(&wrong.settings)
            wrong.progress = 1
            #expect(throws: LayerError.self) { try draw(wrong, over: target) }
        }
    }

    private func halves(_ surface: LayerSurface) throws -> [UInt16] {
        let bytes = try surface.texture.read()
        return stride(from: 0, to: bytes.count, by: 2).map { UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8 }
    }

    private func float(half: UInt16) -> Float {
        let (exponent, mantissa) = (Int(half >> 10) & 31, Float(half & 1023))
        let magnitude = exponent == 0 ? mantissa / 16_777_216 : (1 + mantissa / 1024) * exp2(Float(exponent - 15))
        return half & 0x8000 == 0 ? magnitude : -magnitude
    }
}
