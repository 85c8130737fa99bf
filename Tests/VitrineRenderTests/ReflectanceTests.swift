import Testing
import VitrineGPU
import VitrineMath
import VitrineScene

@testable import VitrineRender

/// The reflection functions that surfaces are drawn with, run on the GPU one direction at a time: reciprocity, energy and limits.
@Suite struct ReflectanceTests {
    /// A surface at the origin that faces +Z.
    struct Probe: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let lobes: SurfaceLobes
        /// WGSL that sets the lobe's numbers on `s`.
        let numbers: String
        var metalness: Float = 0
    }

    static let probes: [Probe] = [
        Probe(testDescription: "dielectric", lobes: .physical, numbers: ""),
        Probe(testDescription: "metal", lobes: .physical, numbers: "", metalness: 1),
        Probe(
            testDescription: "specular", lobes: [.physical, .specular],
            numbers: "s.ior = 1.8; s.specular = 0.7; s.specularColor = vec3f(1.0, 0.5, 0.2);"),
        Probe(
            testDescription: "sheen", lobes: [.physical, .sheen],
            numbers: "s.sheenColor = vec3f(1.0); s.sheenRoughness = max(0.3, roughness);"),
        Probe(
            testDescription: "anisotropy", lobes: [.physical, .anisotropy],
            numbers: "s.anisotropy = 0.7; s.anisotropyDirection = vec2f(0.6, 0.8);", metalness: 1),
        Probe(
            testDescription: "iridescence", lobes: [.physical, .iridescence],
            numbers: "s.iridescence = 1.0; s.filmIor = 1.3; s.filmThickness = 420.0;"),
        // Over black: the share that the layer removes from the layers below depends on the direction to the viewer, as in all couplings of layers.
        Probe(
            testDescription: "clearcoat", lobes: [.physical, .specular, .coat],
            numbers: "s.specular = 0.0; s.baseColor = vec3f(BELOW); s.coat = 1.0; s.coatRoughness = 0.3;"),
    ]

    private static let code = """
        struct Query { view: vec4f, light: vec4f }
        @group(0) @binding(50) var<storage, read> queries: array<Query>;
        @group(0) @binding(51) var<storage, read_write> results: array<vec4f>;

        fn probe(view: vec3f, roughness: f32, metalness: f32) -> Surface {
            var s: Surface;
            s.baseColor = vec3f(1.0);
            s.alpha = 1.0;
            s.occlusion = 1.0;
            s.ior = 1.5;
            s.specular = 1.0;
            s.specularColor = vec3f(1.0);
            s.roughness = roughness;
            s.metalness = metalness;
            s.normal = vec3f(0.0, 0.0, 1.0);
            s.geometricNormal = s.normal;
            s.coatNormal = s.normal;
            s.tangent = vec3f(1.0, 0.0, 0.0);
            s.handedness = 1.0;
            s.view = view;
            NUMBERS
            findReflectances(&s);
        #if ANISOTROPY
            findAnisotropy(&s);
        #endif
            return s;
        }

        // The layers alone: their coupling depends on the view's side (diffuse light, multiple scattering) and is not reciprocal.
        @compute @workgroup_size(64) fn one(@builtin(global_invocation_id) id: vec3u) {
            let q = queries[id.x];
            let s = probe(q.view.xyz, q.view.w, q.light.w);
            var r: Reflectance;
            r.specularScale = vec3f(1.0);
            results[id.x] = vec4f(reflectLight(s, r, q.light.xyz) / q.light.z, 0.0);
        }

        // Everything that light from all around sends to the eye.
        @compute @workgroup_size(1) fn all(@builtin(global_invocation_id) id: vec3u) {
            let q = queries[id.x];
            let s = probe(q.view.xyz, q.view.w, q.light.w);
            let r = reflectance(s);
            var sum = vec3f(0.0);
            for (var i = 0; i < 96; i++) {
                // Finer towards the horizon and around the mirrored direction alike: even in the squared cosine.
                let z = sqrt((f32(i) + 0.5) / 96.0);
                for (var j = 0; j < 192; j++) {
                    let phi = (f32(j) + 0.5) * 2.0 * PI / 192.0;
                    let light = vec3f(sqrt(1.0 - z * z) * vec2f(cos(phi), sin(phi)), z);
                    sum += reflectLight(s, r, light) / z;
                }
            }
            results[id.x] = vec4f(sum * (PI / (96.0 * 192.0)), 0.0);
        }
        """

    private func run(_ probe: Probe, _ entry: String, _ queries: [Vector4]) throws -> [Vector4] {
        let device = try GPUDevice.make()
        let key = SurfaceProgramKey(lobes: probe.lobes)
        let parts = Self.code.split(separator: "NUMBERS", maxSplits: 1)
        let tail = ShaderText.assemble(
            [parts[0] + probe.numbers.replacing("BELOW", with: entry == "one" ? "0.0" : "1.0") + parts[1]], defining: key.conditions)
        let module = try device.makeShader("probe.wgsl", wgsl: SurfaceSource(key).code + tail)
        let pipeline = try device.makeComputePipeline("probe", GPUShaderStage(module, entry))
        let count = queries.count / 2
        let source = try device.makeBuffer("queries", contents: queries, usage: .storage)
        let results = try device.makeBuffer("results", size: count * 16, usage: [.storage, .copySource])
        let group = try device.makeBindGroup(
            "probe", layout: try pipeline.bindGroupLayout(0), [.buffer(50, source), .buffer(51, results)])
        let encoder = try device.makeCommandEncoder("probe")
        try encoder.computePass("probe") { pass throws(GPUError) in
            pass.setPipeline(pipeline)
            pass.setBindGroup(0, group)
            pass.dispatch(entry == "one" ? (count + 63) / 64 : count)
        }
        device.queue.submit(try encoder.finish())
        return try results.read(as: Vector4.self)
    }

    /// A direction above the surface, by two numbers 0…1.
    private func direction(_ a: Float, _ b: Float) -> Vector3 {
        let z = 0.05 + 0.95 * a
        let r = (1 - z * z).squareRoot()
        return Vector3(r * cos(b * 2 * .pi), r * sin(b * 2 * .pi), z)
    }

    /// Light and eye changed round: the same share is reflected (Helmholtz).
    @Test(arguments: probes) func layersAreReciprocal(probe: Probe) throws {
        var queries: [Vector4] = []
        var swapped: [Vector4] = []
        for index in 0..<512 {
            let x = Float(index)
            func share(_ step: Float) -> Float { (x * step).truncatingRemainder(dividingBy: 1) }
            let (v, l) = (direction(share(0.7548777), share(0.5698403)), direction(share(0.8191725), share(0.6710436)))
            let roughness = 0.2 + 0.8 * share(0.3819660)
            queries += [Vector4(v, roughness), Vector4(l, probe.metalness)]
            swapped += [Vector4(l, roughness), Vector4(v, probe.metalness)]
        }
        let forth = try run(probe, "one", queries)
        let back = try run(probe, "one", swapped)
        var largest: Float = 0
        for (a, b) in zip(forth, back) {
            #expect(a.x >= 0 && a.y >= 0 && a.z >= 0)
            largest = max(largest, a.x)
            #expect(length(a - b) <= 2e-3 * max(1, length(a)), "\(a) and \(b)")
        }
        #expect(largest > 0.01)
    }

    /// A white surface under uniform light reflects no more light than it receives, and all of it with multiple scattering.
    @Test(arguments: probes) func energyIsKept(probe: Probe) throws {
        var queries: [Vector4] = []
        for roughness in [Float(0.3), 0.5, 0.7, 1] {
            for cosine in [Float(0.1), 0.3, 0.6, 0.95] {
                queries += [Vector4((1 - cosine * cosine).squareRoot(), 0, cosine, roughness), Vector4(0, 0, 1, probe.metalness)]
            }
        }
        for (index, sum) in try run(probe, "all", queries).enumerated() {
            let comment = Comment("\(sum) at roughness \(queries[2 * index].w), cosine \(queries[2 * index].z)")
            #expect(sum.xyz.max() < (probe.testDescription == "iridescence" ? 1.05 : 1.03), comment)
            #expect(sum.xyz.min() > (probe.testDescription == "iridescence" ? 0.6 : 0.75), comment)
        }
    }

    private func same(_ a: Probe, _ b: Probe, _ difference: Float = 1e-5) throws {
        var queries: [Vector4] = []
        for index in 0..<128 {
            let x = Float(index)
            func share(_ step: Float) -> Float { (x * step).truncatingRemainder(dividingBy: 1) }
            queries += [
                Vector4(direction(share(0.75488), share(0.56984)), 0.1 + 0.9 * share(0.38197)),
                Vector4(direction(share(0.81917), share(0.67104)), share(0.2)),
            ]
        }
        for (first, second) in zip(try run(a, "one", queries), try run(b, "one", queries)) {
            #expect(length(first - second) <= difference * max(1, length(first)), "\(first) and \(second)")
        }
    }

    private let plain = Probe(testDescription: "plain", lobes: .physical, numbers: "")

    @Test func lobesOfStrengthZeroHaveNoEffect() throws {
        try same(Probe(testDescription: "sheen", lobes: [.physical, .sheen], numbers: "s.sheenRoughness = 0.5;"), plain)
        try same(Probe(testDescription: "coat", lobes: [.physical, .coat], numbers: "s.coatRoughness = 0.5;"), plain)
        try same(Probe(testDescription: "ior", lobes: [.physical, .specular], numbers: ""), plain, 1e-3)
        try same(
            Probe(
                testDescription: "film", lobes: [.physical, .iridescence], numbers: "s.filmIor = 1.3; s.filmThickness = 400.0;"), plain)
        try same(
            Probe(
                testDescription: "isotropic", lobes: [.physical, .anisotropy], numbers: "s.anisotropyDirection = vec2f(1.0, 0.0);"), plain,
            2e-2)
    }

    @Test func aFilmOfNoThicknessIsNone() throws {
        let film = Probe(
            testDescription: "film", lobes: [.physical, .iridescence], numbers: "s.iridescence = 1.0; s.filmIor = 1.3;")
        try same(film, plain, 1e-3)
    }

    /// Between equal media there is no boundary.
    @Test func anIndexOfOneDoesNotReflect() throws {
        let probe = Probe(testDescription: "air", lobes: [.physical, .specular], numbers: "s.ior = 1.0;")
        let queries = [Vector4(0.6, 0, 0.8, 0.3), Vector4(-0.6, 0, 0.8, 0), Vector4(0.995, 0, 0.1, 0.3), Vector4(-0.995, 0, 0.1, 0)]
        for result in try run(probe, "one", queries) { #expect(result.xyz == Vector3(0, 0, 0)) }
    }

    /// A highlight reaches farther along its direction than across.
    @Test func anisotropyDrawsOutAlongItsDirection() throws {
        let probe = Probe(
            testDescription: "anisotropy", lobes: [.physical, .anisotropy],
            numbers: "s.anisotropy = 0.8; s.anisotropyDirection = vec2f(1.0, 0.0);", metalness: 1)
        let up = Vector4(0, 0, 1, 0.3)
        let results = try run(probe, "one", [up, Vector4(0.6, 0, 0.8, 1), up, Vector4(0, 0.6, 0.8, 1)])
        #expect(results[0].x > 5 * results[1].x)
    }
}
