import Testing
import VitrineMath
import VitrineScene

@testable import VitrineRender

/// Lights with an effect of known closed form.
@Suite struct LightTests {
    private func lit(_ light: Light, at transform: Transform = .identity, roughness: Float = 1, clearcoat: Float = 0) throws -> [Vector4] {
        let material = Material(roughness: roughness)
        material.clearcoat.factor = ScalarSlot(clearcoat)
        let scene = scene(try square(), material)
        let node = Node(name: "light")
        node.light = light
        node.localTransform = transform
        scene.rootNode.addChildNode(node)
        return try Studio().radiance(of: scene, from: straightOn)
    }

    private func middle(_ pixels: [Vector4]) -> Vector4 { pixels[16 * 32 + 16] }

    /// One lux on a white dull surface leaves 1/π, but for the little that its specular layer takes away.
    @Test func oneLuxLeavesOneOverPi() throws {
        let radiance = middle(try lit(Light(.directional, intensity: 1))).x
        #expect(abs(radiance * .pi - 1) < 0.04)
    }

    @Test func pointLightFallsWithTheSquareOfDistance() throws {
        let near = middle(try lit(Light(.point, intensity: 1), at: Transform(translation: Vector3(0, 0, 2)))).x
        let far = middle(try lit(Light(.point, intensity: 1), at: Transform(translation: Vector3(0, 0, 4)))).x
        #expect(abs(near / far - 4) < 0.03)
        #expect(abs(near * .pi - 0.25) < 0.02)
    }

    /// A polynomial's illuminance, not its candela, and no 1/d² beside it.
    @Test(arguments: [Vector3(1, 0, 0), Vector3(0, 1, 0), Vector3(1, 0.5, 0.25), Vector3(0, 0, 1)])
    func attenuationByAPolynomial(_ factors: Vector3) throws {
        var light = Light(.point, intensity: 1)
        light.attenuation = .polynomial(constant: factors.x, linear: factors.y, quadratic: factors.z)
        let radiance = middle(try lit(light, at: Transform(translation: Vector3(0, 0, 2)))).x
        #expect(abs(radiance * .pi * dot(factors, Vector3(1, 2, 4)) - 1) < 0.05)
    }

    /// KHR_lights_punctual: (1 − (d / range)⁴) / d².
    @Test func rangeFadesPointLight() throws {
        let at = Transform(translation: Vector3(0, 0, 2))
        let endless = middle(try lit(Light(.point), at: at)).x
        let ranged = middle(try lit(Light(.point, range: 4), at: at)).x
        #expect(abs(ranged / endless - 15.0 / 16) < 0.01)
        #expect(middle(try lit(Light(.point, range: 1.9), at: at)).x == 0)
    }

    @Test func spotLightsOnlyItsCone() throws {
        let spot = Light(.spot(inner: .degrees(5), outer: .degrees(15)), intensity: 4)
        let pixels = try lit(spot, at: Transform(translation: Vector3(0, 0, 2)))
        #expect(middle(pixels).x > 0.25)
        // The corner lies 35° from the axis.
        #expect(pixels[0].x == 0)
        #expect(pixels[0].w == 1)
    }

    /// Lights with a range go through clusters: the sum of many must be the same as of the same lights that reach everywhere.
    @Test func clusteredLightsAddUp() throws {
        func rendered(range: Float?) throws -> [Vector4] {
            let scene = scene(try square(), Material(roughness: 1))
            for index in 0..<400 {
                let node = Node(name: "light")
                node.light = Light(.point, intensity: 0.01, range: range)
                node.position = Vector3(Float(index % 20) / 10 - 0.95, Float(index / 20) / 10 - 0.95, 0.2)
                scene.rootNode.addChildNode(node)
            }
            let view = View.orbit(target: Vector3(0, 0, 0), azimuth: .degrees(20), elevation: .degrees(10), distance: 3)
            return try Studio().radiance(of: scene, from: view)
        }
        let (clustered, everywhere) = (try rendered(range: 1000), try rendered(range: nil))
        for (a, b) in zip(clustered, everywhere) { #expect(abs(a.x - b.x) <= 0.004 * max(b.x, 0.1)) }
    }

    /// A light with a short range must reach every pixel within it, in any cluster.
    @Test func clustersContainAllLights() throws {
        func rendered(_ range: Float?, _ position: Vector3) throws -> [Vector4] {
            let scene = scene(try square(), Material(roughness: 1))
            let node = Node(name: "light")
            node.light = Light(.point, intensity: 1, range: range)
            node.position = position
            scene.rootNode.addChildNode(node)
            return try Studio().radiance(
                of: scene, from: .orbit(target: Vector3(0, 0, 0), azimuth: .degrees(40), elevation: .degrees(5), distance: 3))
        }
        for position in [Vector3(0.4, 0.3, 0.3), Vector3(-0.8, -0.5, 0.2), Vector3(0.9, 0.9, 0.4)] {
            let (ranged, endless) = (try rendered(1.5, position), try rendered(nil, position))
            let lit = zip(ranged, endless).filter { $0.0.w == 1 && $0.1.x > 0.35 }
            #expect(!lit.isEmpty)
            // Within about half a metre, (d / 1.5)⁴ takes little away.
            for (a, b) in lit { #expect(a.x > 0.8 * b.x) }
        }
    }

    @Test func categoriesChooseLights() throws {
        let scene = scene(try square(), Material(roughness: 1))
        let node = Node(name: "light")
        node.light = Light(.directional, categoryBitMask: 2)
        scene.rootNode.addChildNode(node)
        #expect(middle(try Studio().radiance(of: scene, from: straightOn)).x == 0)
        scene["object"]?.categoryBitMask = 3
        #expect(middle(try Studio().radiance(of: scene, from: straightOn)).x > 0.3)
    }

    @Test func ambientLightIsTheSameEverywhere() throws {
        #expect(abs(middle(try lit(Light(.ambient, intensity: 0.5))).x - 0.5) < 0.005)
    }
}
