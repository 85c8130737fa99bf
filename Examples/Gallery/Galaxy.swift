import Vitrine

/// Forty thousand particles on the GPU, moved by an update function in WGSL.
@MainActor func makeGalaxy() throws -> Layer {
    var settings = ParticleSettings(
        count: 40_000, colors: [Color(sRGB: 0x5AA9FF), Color(sRGB: 0xFFFFFF), Color(sRGB: 0xFFC27A), Color(sRGB: 0xC77DFF)],
        radius: 0.4...1.6, sprite: .soft)
    settings.update = ParticleFunction(
        source: """
            fn spiral(particle: Particle, frame: ParticleFrame) -> Particle {
                var p = particle;
                if (p.life <= 0.0) {
                    p = born(particle, frame);
                    let arm = floor(random(&p) * 3.0) * 2.0944;
                    let along = pow(random(&p), 0.6);
                    let spread = (random(&p) + random(&p) + random(&p) - 1.5) * (0.16 + 0.3 * along);
                    let angle = arm + 4.4 * along + spread / max(along, 0.15);
                    let r = along * 0.47 * frame.size.x + 18.0 * (random(&p) - 0.5);
                    p.position = frame.center + vec2f(r * cos(angle), 0.52 * r * sin(angle));
                    p.life = 1.0;
                }
                let arm = (p.position - frame.center) / vec2f(1.0, 0.52);
                let turn = 0.35 / max(length(arm), 20.0);
                p.position += vec2f(-arm.y, 0.52 * arm.x) * turn;
                return p;
            }
            """, name: "spiral")
    settings.velocity = .zero
    settings.lifetime = 1
    let cloud = ParticleCloud(settings)
    (cloud.center, cloud.progress) = ([0.5, 0.5], 1)
    let drawing = ParticleDrawing(cloud)
    drawing.advance(to: 0)
    for tick in 1...30 { drawing.advance(to: Double(tick) / 10) }

    let root = Layer(name: "Galaxy", frame: Rectangle(x: 0, y: 0, width: 480, height: 360))
    root.fill = .gradient(Gradient(.radial(), [Color(sRGB: 0x241A3A), Color(sRGB: 0x05060D)]))
    let stars = Layer(name: "Stars", frame: root.bounds)
    stars.fill = .drawing(drawing)
    root.add(stars)
    return root
}
