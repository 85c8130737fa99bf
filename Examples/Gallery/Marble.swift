import Vitrine

/// Marble from a surface function: WGSL of the app, run for each pixel before lighting. No texture is read.
@MainActor func makeMarble() throws -> SceneView {
    let stage = try Stage(floor: Color(sRGB: 0x8E8A86), eye: [0.4, 1.35, 3.6], target: [0, 0.62, 0], turn: .degrees(140))
    let source = """
        fn hash(p: vec3f) -> f32 {
            let q = fract(p * 0.3183099 + vec3f(0.11, 0.17, 0.13)) * 17.0;
            return fract(q.x * q.y * q.z * (q.x + q.y + q.z));
        }
        fn noise(p: vec3f) -> f32 {
            let i = floor(p);
            let f = fract(p);
            let u = f * f * (3.0 - 2.0 * f);
            let a = mix(mix(hash(i), hash(i + vec3f(1, 0, 0)), u.x), mix(hash(i + vec3f(0, 1, 0)), hash(i + vec3f(1, 1, 0)), u.x), u.y);
            let b = mix(mix(hash(i + vec3f(0, 0, 1)), hash(i + vec3f(1, 0, 1)), u.x), mix(hash(i + vec3f(0, 1, 1)), hash(i + vec3f(1, 1, 1)), u.x), u.y);
            return mix(a, b, u.z);
        }
        fn clouds(p: vec3f) -> f32 {
            return 0.5 * noise(p) + 0.25 * noise(2.03 * p) + 0.125 * noise(4.01 * p) + 0.0625 * noise(8.05 * p);
        }
        fn surface(in: SurfaceInput, s: ptr<function, Surface>) {
            let p = in.localPosition * 2.6;
            let bent = p + 1.6 * vec3f(clouds(p), clouds(p + 5.2), clouds(p + 9.1));
            let vein = pow(1.0 - abs(sin(2.2 * bent.x + 3.0 * bent.y + 1.3 * bent.z)), 9.0);
            (*s).baseColor = mix(uniforms.stone, uniforms.vein, clamp(vein + 0.25 * clouds(3.0 * p) - 0.1, 0.0, 1.0));
            (*s).roughness = mix(0.22, 0.4, vein);
        }
        """
    let marble = Material(name: "Marble", baseColor: .white, roughness: 0.25)
    marble.surfaceFunction = try SurfaceFunction(
        source: source, uniforms: ["stone": .float3([0.86, 0.84, 0.8]), "vein": .float3([0.12, 0.15, 0.17])])
    let dark = marble.copy()
    try dark.surfaceFunction?.set("stone", to: .float3([0.035, 0.075, 0.06]))
    try dark.surfaceFunction?.set("vein", to: .float3([0.75, 0.78, 0.7]))
    stage.add(.box(size: [1.1, 0.5, 1.1], chamferRadius: 0.03), dark, at: [0, 0.25, 0], turned: [0, 0.5, 0])
    stage.add(
        .torus(ringRadius: 0.34, pipeRadius: 0.15, ringSegments: 96, pipeSegments: 48), marble, at: [0, 0.99, 0], turned: [1.25, 0.3, 0.2])
    stage.add(.sphere(radius: 0.2), dark, at: [0, 0.99, 0.02])
    stage.add(Light(.disc(radius: 0.5), intensity: 14), at: [-1.8, 2.8, 1.4], towards: [0, 0.6, 0])
    return SceneView(stage.scene)
}
