import Testing
import VitrineMath
import VitrineScene

@testable import VitrineRender

/// Two boxes that cross at a small angle: where one hides the other is known exactly.
@Suite struct DepthPrecisionTests {
    static let pixels = 64
    /// The x at which the front faces cross, in units of the boxes' size; between two columns of pixels in all images.
    static let crossing: Float = 0.0371
    /// The angle between the front faces.
    static let angle: Float = 0.02

    /// A red box whose front face is the plane z = 0, and a blue one turned about the crossing, in front of it on the left.
    private func scene(size: Float, others: [Node] = []) throws -> VitrineScene.Scene {
        func box(_ color: Vector3, turned angle: Float) -> Node {
            let material = Material(baseColor: Color(linear: Vector4(color, 1)))
            material.lightingModel = .constant
            let node = Node(name: "box", mesh: Mesh(geometry: Geometry.box(), material: material))
            let normal = Vector3(sin(angle), 0, cos(angle))
            node.eulerAngles = Vector3(0, angle, 0)
            node.scale = Vector3(repeating: size)
            node.position = Vector3(Self.crossing, 0, 0) * size - normal * (size / 2)
            return node
        }
        let scene = Scene()
        for node in [box(Vector3(1, 0, 0), turned: 0), box(Vector3(0, 0, 1), turned: Self.angle)] + others {
            scene.rootNode.addChildNode(node)
        }
        return scene
    }

    /// Returns the number of pixels over the boxes that show the wrong one.
    private func mistakes(size: Float, distance: Float, camera: Camera, others: [Node] = [], samples: Int = 1) throws -> Int {
        let view = View(camera: camera, worldFromCamera: Matrix4(translation: Vector3(0, 0, distance * size)))
        let radiance = try Studio().radiance(
            of: scene(size: size, others: others), from: view, width: Self.pixels, height: Self.pixels,
            options: RenderOptions(sampleCount: samples))
        // Half the width that is seen at z = 0, in sizes.
        let half: Float =
            switch camera.projection {
            case .orthographic(let scale): scale / size
            case .perspective(let angle): tan(angle.radians / 2) * distance
            }
        var (wrong, red, blue) = (0, 0, 0)
        for y in 0..<Self.pixels {
            for x in 0..<Self.pixels {
                let coordinate = ((Float(x) + 0.5) / Float(Self.pixels) * 2 - 1) * half
                // Skips the image's edges and the columns on either side of the crossing.
                guard abs(coordinate) < 0.4, abs((Float(y) + 0.5) / Float(Self.pixels) * 2 - 1) * half < 0.4 else { continue }
                guard abs(coordinate - Self.crossing) > 2 * half / Float(Self.pixels) else { continue }
                let color = radiance[y * Self.pixels + x]
                (red, blue) = (red + (color.x > 0.5 ? 1 : 0), blue + (color.z > 0.5 ? 1 : 0))
                if (color.z > 0.5) != (coordinate < Self.crossing) || (color.x > 0.5) == (color.z > 0.5) { wrong += 1 }
            }
        }
        #expect(red > 500 && blue > 500)
        return wrong
    }

    @Test(arguments: [0.001, 1, 1000] as [Float]) func orthographicByDefault(size: Float) throws {
        let camera = Camera(projection: .orthographic(scale: 0.5 * size), near: min(0.01, 0.01 * size))
        #expect(try mistakes(size: size, distance: 5, camera: camera) == 0)
    }

    @Test func orthographicDefaultNear() throws {
        #expect(try mistakes(size: 1, distance: 5, camera: Camera(projection: .orthographic(scale: 0.5))) == 0)
        #expect(try mistakes(size: 1, distance: 5, camera: Camera(projection: .orthographic(scale: 0.5), far: 1e6)) == 0)
    }

    /// The hit test finds the box that the image shows, at its depth, for every pixel of a row.
    @Test(arguments: [0.001, 1, 1000] as [Float]) func orthographicPickingMatchesTheImage(size: Float) throws {
        let scene = try scene(size: size)
        let camera = Camera(projection: .orthographic(scale: 0.5 * size), near: min(0.01, 0.01 * size))
        let pose = Matrix4(translation: Vector3(0, 0, 5 * size))
        let viewport = Vector2(repeating: Float(Self.pixels))
        for x in 8..<Self.pixels - 8 {
            let pixel = Vector2(Float(x) + 0.5, 32.5)
            let position = ((Float(x) + 0.5) / Float(Self.pixels) * 2 - 1) * 0.5
            guard abs(position - Self.crossing) > 1 / Float(Self.pixels) else { continue }
            let hit = try #require(scene.pick(camera.ray(through: pixel, viewportSize: viewport, worldFromCamera: pose)))
            let isBlue = hit.material?.baseColor.factor.z == 1
            #expect(isBlue == (position < Self.crossing), "column \(x)")
            // The blue face is the plane through the crossing, rotated about the y axis.
            let depth = isBlue ? (Self.crossing - position) * tan(Self.angle) : 0
            #expect(abs(hit.position.z / size - depth) < 1e-5)
            let projected = try #require(camera.project(hit.position, viewportSize: viewport, worldFromCamera: pose))
            #expect(abs(projected.x - pixel.x) < 0.01 && abs(projected.y - pixel.y) < 0.01)
        }
    }

    /// A small thing in a large scene, antialiased.
    @Test func orthographicBeforeALandscape() throws {
        let ground = Node(name: "ground", mesh: Mesh(geometry: Geometry.box(), material: Material()))
        (ground.position, ground.scale) = (Vector3(0, -1000, 0), Vector3(1000, 1, 1000))
        for samples in [1, 4] {
            let camera = Camera(projection: .orthographic(scale: 0.5))
            #expect(try mistakes(size: 1, distance: 5, camera: camera, others: [ground], samples: samples) == 0)
        }
    }

    @Test(arguments: [(1, 1000), (1, .infinity), (1000, 1e5), (300, 1000)] as [(Float, Float)])
    func perspectiveWithASmallNear(size: Float, far: Float) throws {
        let camera = Camera(projection: .perspective(fieldOfView: .degrees(23)), near: 0.001, far: far)
        #expect(try mistakes(size: size, distance: 2.5, camera: camera) == 0)
    }

    /// Planes that the camera sets inside the scene still cut.
    @Test func planesInsideTheSceneCut() throws {
        let scene = try scene(size: 1)
        for (near, far, isSeen) in [(4.0, 6.0, true), (0.01, 4.9, false), (5.6, 1e6, false), (7.0, .infinity, false)]
            as [(Float, Float, Bool)]
        {
            let camera = Camera(projection: .orthographic(scale: 0.5), near: near, far: far)
            let view = View(camera: camera, worldFromCamera: Matrix4(translation: Vector3(0, 0, 5)))
            let middle = try Studio().radiance(of: scene, from: view, width: 9, height: 9)[40]
            #expect((middle.x + middle.z > 0.5) == isSeen, "\(near)…\(far)")
        }
    }
}
