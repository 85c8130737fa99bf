// swift-format-ignore-file
// The literals begin in the line of their calls, as `#line` expects.
//
// Scenes with mistakes in their shaders. Tests/Web/layers_tests.py finds the lines by their text.
import Vitrine

@MainActor private func square(_ size: Vector2) -> (LayerView, Layer) {
    let view = LayerView(background: .white)
    let layer = Layer(frame: Rectangle(origin: Vector2(0, 0), size: size).inset(by: 20))
    layer.fill = .color(Color(sRGB: 0x3A86FF))
    view.root.add(layer)
    return (view, layer)
}

/// An effect that uses a name that does not exist.
@MainActor func brokenEffect(_ size: Vector2) throws(ShaderError) -> LayerView {
    let (view, layer) = square(size)
    let library = try ShaderLibrary(source: """
        fn broken(position: vec2f, color: vec4f) -> vec4f {
            return missingColor;
        }
        """)
    layer.effects = [.color(library.broken())]
    return view
}

/// A binding, which belongs to the generated pass: found before the browser compiles.
@MainActor func wrongDeclaration(_ size: Vector2) throws(ShaderError) -> LayerView {
    let (view, layer) = square(size)
    let library = try ShaderLibrary(source: """
        @group(0) @binding(0) var<uniform> mine: vec4f;
        fn wrong(position: vec2f, color: vec4f) -> vec4f { return color; }
        """)
    layer.effects = [.color(library.wrong())]
    return view
}

/// A surface function of a scene in a layer, with a name that may not exist.
@MainActor func stripes(_ size: Vector2, of input: String) throws(SurfaceFunctionError) -> LayerView {
    let (view, layer) = square(size)
    let function = try SurfaceFunction(source: """
        fn surface(in: SurfaceInput, s: ptr<function, Surface>) {
            let stripe = step(0.5, fract(in.uv.x * 8.0));
            (*s).baseColor = mix(vec3f(1.0, 0.2, 0.1), in.\(input).rgb, stripe);
        }
        """)
    let material = Material(baseColor: .white, metalness: 0, roughness: 0.5)
    material.surfaceFunction = function
    let scene = Scene()
    scene.environment = .studio()
    scene.rootNode.addChildNode(Node(mesh: Mesh(geometry: .plane(width: 1, height: 1), material: material)))
    layer.fill = .drawing(SceneDrawing(scene))
    return view
}

/// A particle function that uses a name that does not exist.
@MainActor func brokenParticles(_ size: Vector2) -> LayerView {
    let (view, layer) = square(size)
    let cloud = ParticleCloud()
    cloud.settings.update = ParticleFunction(source: """
        fn fall(particle: Particle, frame: ParticleFrame) -> Particle {
            var p = particle;
            p.position.y += missingSpeed;
            return p;
        }
        """, name: "fall")
    cloud.progress = 1
    let drawing = ParticleDrawing(cloud)
    drawing.advance(to: 0)
    layer.fill = .drawing(drawing)
    view.onUpdate = { time in
        drawing.advance(to: time)
        return false
    }
    return view
}
