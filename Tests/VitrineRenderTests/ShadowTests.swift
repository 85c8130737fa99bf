import Testing
import VitrineMath
import VitrineScene

@testable import VitrineRender

/// Shadows with position and width of known closed form. The floor is the plane z = 0, seen from above.
@Suite struct ShadowTests {
    /// A square of 1 m, `height` metres over a floor of 8 m, under one light.
    private func stage(_ light: Light, from position: Vector3, to target: Vector3 = Vector3(0, 0, 0), height: Float = 1) -> Scene {
        let scene = Scene()
        scene.environment.background = .transparent
        let floor = Node(name: "floor", mesh: Mesh(geometry: .plane(width: 8, height: 8), material: Material(roughness: 1)))
        let square = Node(name: "square", mesh: Mesh(geometry: .plane(), material: Material(roughness: 1)))
        square.position = Vector3(0, 0, height)
        let lightNode = Node(name: "light")
        lightNode.light = light
        lightNode.light?.castsShadow = true
        lightNode.transform = .lookAt(eye: position, target: target)
        for node in [floor, square, lightNode] { scene.rootNode.addChildNode(node) }
        return scene
    }

    /// 2.5 metres to each side, 128 pixels across; from below the floor's far side nothing is seen.
    private let above = View(
        camera: Camera(projection: .orthographic(scale: 2.5), near: 0.1, far: 20), worldFromCamera: Matrix4(translation: Vector3(0, 0, 10)))
    private let size = 128

    private func row(_ scene: Scene, samples: Int = 1) throws -> [Float] {
        let studio = try Studio()
        var sum = [Float](repeating: 0, count: size)
        for _ in 0..<samples {
            let pixels = try studio.radiance(of: scene, from: above, width: size, height: size)
            for x in 0..<size { sum[x] += pixels[(size / 2) * size + x].x }
        }
        return sum.map { $0 / Float(samples) }
    }

    /// Offset of a pixel's centre from the image's centre, metres.
    private func coordinate(_ x: Int) -> Float { (Float(x) + 0.5) / Float(size) * 5 - 2.5 }

    /// Returns the position at which the row's light passes half of `full`, going right from `from`.
    private func edge(_ row: [Float], from start: Float, full: Float) -> Float? {
        for x in 1..<size where coordinate(x) > start && row[x - 1] < full / 2 && row[x] >= full / 2 {
            let part = (full / 2 - row[x - 1]) / (row[x] - row[x - 1])
            return coordinate(x - 1) + part * 5 / Float(size)
        }
        return nil
    }

    @Test func directionalShadowHasItsComputedEdge() throws {
        // 45° from the left: the square's right edge at 0.5 m throws its shadow to 1.5 m.
        let row = try row(stage(Light(.directional, intensity: 3), from: Vector3(-5, 0, 5)))
        let lit = row[size - 4]
        let found = try #require(edge(row, from: 0.7, full: lit))
        #expect(abs(found - 1.5) < 5 / Float(size))
        #expect(row[Int((1.0 + 2.5) / 5 * 128)] == 0)
        #expect(lit > 0.5)
    }

    /// Half of the square casts half of the shadow, and is drawn whole.
    @Test func onlyShadowsShowTheLevelsOfCasters() throws {
        let scene = stage(Light(.directional, intensity: 3), from: Vector3(-5, 0, 5))
        let (plain, simplified) = (try Studio(), try Studio())
        simplified.renderer.casterSimplifier = { _, triangles in [GeometryLevel(indices: Array(triangles.prefix(3)), error: 0)] }
        let whole = try plain.radiance(of: scene, from: above, width: size, height: size)
        let half = try simplified.radiance(of: scene, from: above, width: size, height: size)
        let (shadow, halfShadow) = (whole.count { $0.x == 0 }, half.count { $0.x == 0 })
        #expect(shadow > 500 && abs(2 * halfShadow - shadow) < shadow / 5, "\(shadow), \(halfShadow)")
        for (index, pixels) in zip(whole, half).enumerated()
        where abs(coordinate(index % size)) < 0.45 && abs(coordinate(index / size)) < 0.45 {
            #expect(pixels.0 == pixels.1)
        }
    }

    /// An orthographic camera with the default far plane (10⁶ m) sees the same shadow at 1 mm, 1 m and 1 km.
    @Test(arguments: [0.001, 1, 1000] as [Float]) func orthographicDirectionalShadowIsIndependentOfScale(metre: Float) throws {
        let scene = stage(Light(.directional, intensity: 3), from: Vector3(-5, 0, 5))
        scene.rootNode.scale = Vector3(repeating: metre)
        let view = View(
            camera: Camera(projection: .orthographic(scale: 2.5 * metre), near: min(0.01, 0.01 * metre)),
            worldFromCamera: Matrix4(translation: Vector3(0, 0, 10 * metre)))
        let pixels = try Studio().radiance(of: scene, from: view, width: size, height: size)
        let row = (0..<size).map { pixels[(size / 2) * size + $0].x }
        let lit = row[size - 4]
        let found = try #require(edge(row, from: 0.7, full: lit))
        #expect(abs(found - 1.5) < 5 / Float(size))
        #expect(lit > 0.5 && row[Int((1.0 + 2.5) / 5 * 128)] == 0)
        // No self-shadowing: the floor left of the square is lit evenly.
        for x in 4..<40 { #expect(abs(row[x] / lit - 1) < 0.01, "column \(x)") }
    }

    @Test(arguments: [Light.Kind.point, .spot(inner: .degrees(30), outer: .degrees(50))])
    func perspectiveShadowEndsWhereItShould(_ kind: Light.Kind) throws {
        // From 4 m above, 2 m to the left: the edge at 0.5 m, 1 m high, goes to 0.5 + 2.5 / 3.
        let row = try row(stage(Light(kind, intensity: 100), from: Vector3(-2, 0, 4)))
        let found = try #require(edge(row, from: 0.6, full: row[Int((1.7 + 2.5) / 5 * 128)]))
        #expect(abs(found - (0.5 + 2.5 / 3)) < 5 / Float(size))
    }

    /// Among shadow casters a point light has six maps.
    @Test func pointLightInTheSceneCastsShadowsAllAround() throws {
        let scene = stage(Light(.point, intensity: 20), from: Vector3(-1.5, 0, 1.5))
        let far = Node(name: "far", mesh: Mesh(geometry: .box(size: Vector3(0.1, 1, 4)), material: Material(roughness: 1)))
        far.position = Vector3(-3, 0, 1)
        scene.rootNode.addChildNode(far)
        let statistics = try Studio().statistics(of: scene, from: above)
        #expect(statistics.shadowMaps == 6)
        let row = try row(scene)
        // The square's edges at ±0.5 and 1 m high, lit from (−1.5, 1.5): 1 m → 3 · 1 = 1.5, 2 m → 4.5 (outside the image).
        #expect(row[Int((1.8 + 2.5) / 5 * 128)] == 0)
        #expect(row[Int((-0.8 + 2.5) / 5 * 128)] > 0.1)
        let found = try #require(Array(row.reversed()).firstIndex { $0 > 0.01 })
        #expect(coordinate(size - 1 - found) < 1.5 + 0.05)
    }

    /// A light of angular diameter α at height h makes an edge 2 h tan(α / 2) wide when it stands straight above (here the view is from the
    /// side, and the square's own edge is not in the way).
    @Test(arguments: [Float(5), 12]) func penumbraFollowsTheSizeOfTheLight(_ degrees: Float) throws {
        var light = Light(.directional, intensity: 3)
        light.angularDiameter = .degrees(degrees)
        let scene = stage(light, from: Vector3(-5, 0, 5))
        let studio = try Studio()
        let target = try studio.still(of: scene, from: above, width: size, height: size, samples: 16)
        let row = (0..<size).map { target[(size / 2) * size + $0].x }
        let lit = row[size - 4]
        // From 45° the light's disc is stretched on the floor: 2 · √2 · √2 h tan(α / 2).
        let wide = 4 * tan(degrees / 2 * .pi / 180)
        let inside = row.indices.filter { coordinate($0) > 1.5 - wide && coordinate($0) < 1.5 + wide }
        func cross(_ share: Float) -> Float {
            for x in inside where row[x] < share * lit && row[x + 1] >= share * lit {
                return coordinate(x) + (share * lit - row[x]) / (row[x + 1] - row[x]) * 5 / Float(size)
            }
            return .nan
        }
        // A disc is half covered in the middle; 0.1955 of it lie beyond half of its radius.
        let measured = 2 * (cross(1 - 0.1955) - cross(0.1955))
        #expect(abs(measured / wide - 1) < 0.15)
        #expect(abs(cross(0.5) - 1.5) < 0.05)
    }

    /// A floor alone never shadows itself, from any side, hard or soft.
    @Test(arguments: [Float(0), 4]) func litPlanesAreEvenlyLit(_ degrees: Float) throws {
        for elevation in [2, 5, 10, 30, 60, 89] as [Float] {
            var light = Light(.directional, intensity: 3)
            light.angularDiameter = .degrees(degrees)
            let angle = elevation * .pi / 180
            let direction = Vector3(cos(angle) * 0.8, cos(angle) * 0.6, sin(angle))
            let scene = stage(light, from: direction * 5)
            scene["square"]?.removeFromParentNode()
            let pixels = try Studio().radiance(of: scene, from: above, width: 64, height: 64)
            let brightest = pixels.reduce(Float(0)) { max($0, $1.x) }
            let darkest = pixels.reduce(Float.infinity) { min($0, $1.x) }
            #expect(brightest > 0)
            #expect(brightest - darkest < 1 / 255, "at \(elevation)°")
        }
    }

    /// A box on the floor is dark at its foot: no light creeps under it.
    @Test func shadowsBeginAtTheContact() throws {
        let scene = stage(Light(.directional, intensity: 3), from: Vector3(-5, 0, 5))
        scene["square"]?.mesh = Mesh(geometry: .box(size: Vector3(1, 1, 1)), material: Material(roughness: 1))
        scene["square"]?.position = Vector3(0, 0, 0.5)
        let row = try row(scene)
        for x in 0..<size where coordinate(x) > 0.54 && coordinate(x) < 1.4 { #expect(row[x] == 0, "at \(coordinate(x)) m") }
        #expect(row[Int((1.6 + 2.5) / 5 * 128)] > 0.5)
    }

    @Test func nodesLightsAndCategoriesSelectCasters() throws {
        func dark(_ change: (Scene) -> Void) throws -> Bool {
            let scene = stage(Light(.directional, intensity: 3), from: Vector3(-5, 0, 5))
            change(scene)
            return try row(scene)[Int((1.0 + 2.5) / 5 * 128)] == 0
        }
        #expect(try dark { _ in })
        #expect(try !dark { $0["square"]?.castsShadow = false })
        #expect(try !dark { $0["light"]?.light?.castsShadow = false })
        #expect(try !dark { $0["square"]?.isHidden = true })
        #expect(
            try !dark {
                $0["square"]?.categoryBitMask = 2
                $0["light"]?.light?.categoryBitMask = 1
            })
    }

    /// The transmitted share of light follows from the node's opacity, averaged over the dither pattern.
    @Test func halfTransparentNodesBlockHalfOfTheLight() throws {
        var light = Light(.directional, intensity: 3)
        light.angularDiameter = .degrees(6)
        let scene = stage(light, from: Vector3(-5, 0, 5))
        scene["square"]?.opacity = 0.5
        let row = try row(scene)
        let inside = row.indices.filter { coordinate($0) > 0.8 && coordinate($0) < 1.2 }
        let mean = inside.reduce(Float(0)) { $0 + row[$1] } / Float(inside.count)
        #expect(abs(mean / row[size - 4] - 0.5) < 0.08)
    }

    /// Turning the camera, or moving it a little, leaves every map unchanged.
    @Test func cascadesDoNotShimmer() throws {
        let scene = stage(Light(.directional, intensity: 3), from: Vector3(-5, 1, 5))
        let studio = try Studio()
        let still = try studio.radiance(of: scene, from: above, width: size, height: size)
        // Shifted by whole pixels: the same points of the floor, one pixel further.
        let moved = View(camera: above.camera, worldFromCamera: Matrix4(translation: Vector3(5 / Float(size) * 7, 0, 10)))
        let shifted = try studio.radiance(of: scene, from: moved, width: size, height: size)
        var largest: Float = 0
        for y in 0..<size { for x in 7..<size { largest = max(largest, abs(still[y * size + x].x - shifted[y * size + x - 7].x)) } }
        #expect(largest < 0.02)
    }

    /// Maps are kept while nothing moves: later motion must be visible.
    @Test func cachedMapsAreUpdated() throws {
        let scene = stage(Light(.directional, intensity: 3), from: Vector3(-5, 0, 5))
        let studio = try Studio()
        func dark(at x: Float) throws -> Bool {
            let pixels = try studio.radiance(of: scene, from: above, width: size, height: size)
            return pixels[(size / 2) * size + Int((x + 2.5) / 5 * Float(size))].x == 0
        }
        #expect(try dark(at: 1))
        #expect(try dark(at: 1))
        scene["square"]?.position.y = 3
        #expect(try !dark(at: 1))
        scene["square"]?.position.y = 0
        #expect(try dark(at: 1))
        scene["square"]?.mesh?.parts[0].material.isShadowReceiver = true
        #expect(try !dark(at: 1))
    }

    @Test func framesAreReproducible() throws {
        var light = Light(.spot(inner: .degrees(20), outer: .degrees(50)), intensity: 80)
        light.radius = 0.2
        let scene = stage(light, from: Vector3(-2, 1, 4))
        let studio = try Studio()
        let first = try studio.image(of: scene, from: above)
        #expect(try studio.image(of: scene, from: above).bytes == first.bytes)
        #expect(try Studio().image(of: scene, from: above).bytes == first.bytes)
    }
}
