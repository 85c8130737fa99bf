import Testing
import VitrineMath
import VitrineScene

@testable import VitrineRender

/// Rectangles and discs against sums over thousands of points on them.
@Suite struct AreaLightTests {
    /// The light's node at `position`, looking at the origin.
    private func lit(_ light: Light, _ position: Vector3, _ material: Material, _ view: View) throws -> Float {
        let scene = scene(try square(), material)
        let node = Node(name: "light")
        node.light = light
        node.transform = .lookAt(eye: position, target: Vector3(0, 0, 0))
        scene.rootNode.addChildNode(node)
        return try Studio().radiance(of: scene, from: view, width: 33, height: 33)[16 * 33 + 16].x
    }

    /// Returns points of the light and the area that each stands for, world frame.
    private func points(_ kind: Light.Kind, _ world: Matrix4) -> (points: [Vector3], area: Float) {
        let count = 200
        var points: [Vector3] = []
        var (width, height): (Float, Float) = (0, 0)
        var radius: Float?
        switch kind {
        case .rectangle(let w, let h): (width, height) = (w, h)
        case .disc(let r): (width, height, radius) = (2 * r, 2 * r, r)
        default: break
        }
        for i in 0..<count {
            for j in 0..<count {
                let p = Vector3(
                    ((Float(i) + 0.5) / Float(count) - 0.5) * width, ((Float(j) + 0.5) / Float(count) - 0.5) * height, 0)
                if let radius, length(p) > radius { continue }
                points.append(world.transform(point: p))
            }
        }
        return (points, width * height / Float(count * count))
    }

    /// Sum over the light of reflection · cosine · cosine / distance², at the origin, whose normal is +Z.
    private func integral(_ kind: Light.Kind, _ position: Vector3, _ reflection: (Vector3) -> Float) -> Float {
        let world = Matrix4.lookAt(eye: position, target: Vector3(0, 0, 0))
        let axis = -normalize(world.z.xyz)
        let (points, area) = points(kind, world)
        var sum: Double = 0
        for point in points where point.z > 0 {
            let direction = normalize(point)
            let emitting = max(-dot(direction, axis), 0)
            sum += Double(reflection(direction) * direction.z * emitting / dot(point, point))
        }
        return Float(sum) * area
    }

    static let kinds: [Light.Kind] = [.rectangle(width: 1.6, height: 0.7), .disc(radius: 0.6)]
    static let positions = [Vector3(0, 0, 1), Vector3(1, 0.4, 0.8), Vector3(-1.5, 0.5, 0.35), Vector3(0.2, -3, 3)]

    /// Lambert's model: exact to 1 %, on the horizon too.
    @Test(arguments: kinds) func diffuseIsTheIntegral(_ kind: Light.Kind) throws {
        let material = Material()
        material.lightingModel = .lambert
        for position in Self.positions {
            let expected = integral(kind, position) { _ in 1 / .pi }
            let measured = try lit(Light(kind, intensity: 1), position, material, straightOn)
            #expect(abs(measured / expected - 1) < 0.01, "from \(position): \(measured), not \(expected)")
        }
    }

    /// Microfacets of a white metal: within a few per cent of the mean over the light.
    @Test(arguments: [Float(0.25), 0.5, 0.8, 1]) func specularIsNearTheIntegral(_ roughness: Float) throws {
        let material = Material(baseColor: .white, metalness: 1, roughness: roughness)
        let kind = Light.Kind.rectangle(width: 1.6, height: 1.2)
        for (eye, position) in [
            (Vector3(0, 0, 5), Vector3(0.3, 0.2, 1.5)), (Vector3(3.5, 0, 3.5), Vector3(-1, 0.2, 1.2)),
            (Vector3(4.6, 0, 2), Vector3(-1.6, 0, 0.8)),
        ] {
            let view = View(
                camera: Camera(projection: .orthographic(scale: 0.05), near: 0.1, far: 10),
                worldFromCamera: .lookAt(eye: eye, target: Vector3(0, 0, 0)))
            let toEye = normalize(eye)
            let alpha = roughness * roughness
            let expected = integral(kind, position) { ggx($0, toEye, alpha) } / albedo(toEye, alpha)
            let measured = try lit(Light(kind, intensity: 1), position, material, view)
            #expect(abs(measured - expected) < 0.05 * expected + 0.02, "roughness \(roughness), \(eye): \(measured), not \(expected)")
        }
    }

    /// GGX with height-correlated masking, white.
    private func ggx(_ light: Vector3, _ view: Vector3, _ alpha: Float) -> Float {
        let half = normalize(light + view)
        let a2 = alpha * alpha
        let d = half.z * half.z * (a2 - 1) + 1
        let masking =
            light.z * (view.z * view.z * (1 - a2) + a2).squareRoot() + view.z * (light.z * light.z * (1 - a2) + a2).squareRoot()
        return a2 / (.pi * d * d) * 0.5 / max(masking, 1e-6)
    }

    /// The share of uniform light that is reflected once: the rest follows after several bounces in the same shape.
    private func albedo(_ view: Vector3, _ alpha: Float) -> Float {
        var sum: Double = 0
        let count = 400
        // By half vectors: dense where the reflection is.
        for i in 0..<count {
            for j in 0..<count {
                let u = (Float(i) + 0.5) / Float(count)
                let phi = (Float(j) + 0.5) / Float(count) * 2 * .pi
                let tangent = alpha * (u / (1 - u)).squareRoot()
                let half = normalize(Vector3(tangent * cos(phi), tangent * sin(phi), 1))
                let light = half * (2 * dot(half, view)) - view
                guard light.z > 0 else { continue }
                let a2 = alpha * alpha
                let d = half.z * half.z * (a2 - 1) + 1
                let density = a2 / (.pi * d * d) * half.z / (4 * abs(dot(half, view)))
                sum += Double(ggx(light, view, alpha) * light.z / density)
            }
        }
        return Float(sum) / Float(count * count)
    }

    @Test func theBackIsDark() throws {
        let scene = scene(try square(), Material(roughness: 1))
        let node = Node(name: "light")
        node.light = Light(.rectangle(width: 1, height: 1), intensity: 10)
        node.transform = .lookAt(eye: Vector3(0, 0, 1), target: Vector3(0, 0, 2))
        scene.rootNode.addChildNode(node)
        #expect(try Studio().radiance(of: scene, from: straightOn)[16 * 32 + 16].x == 0)
    }

    @Test func rangeBoundsAreaLights() throws {
        let material = Material()
        material.lightingModel = .lambert
        let at = Vector3(0, 0, 2)
        let endless = try lit(Light(.disc(radius: 0.5)), at, material, straightOn)
        let ranged = try lit(Light(.disc(radius: 0.5), range: 4), at, material, straightOn)
        #expect(abs(ranged / endless - 15.0 / 16) < 0.01)
        #expect(try lit(Light(.disc(radius: 0.5), range: 1.9), at, material, straightOn) == 0)
    }
}
