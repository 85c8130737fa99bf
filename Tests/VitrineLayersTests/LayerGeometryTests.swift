import Testing
import VitrineMath
import VitrineScene

@testable import VitrineLayers

@Suite struct LayerGeometryTests {
    /// Mission 2's perspective: w = 1 − z/d, about the layer's middle.
    @Test(arguments: [Float(10), 500, 600]) func perspectiveFollowsItsFormula(distance: Float) throws {
        for degrees in stride(from: Float(-45), through: 45, by: 15) {
            let layer = Layer.box(100, 50, 8, 6).tilted(degrees, distance: distance)
            let (s, c) = (sin(Angle.degrees(degrees).radians), cos(Angle.degrees(degrees).radians))
            for corner in [Vector2(0, 0), Vector2(8, 0), Vector2(8, 6), Vector2(3, 5)] {
                let p = corner - Vector2(4, 3)
                // About +y, the right side moves away: z = −x sin.
                let w = 1 + p.x * s / distance
                let expected = Vector2(104, 53) + Vector2(p.x * c, p.y) / w
                let seen = try #require(layer.convertToRoot(corner))
                #expect(length(seen - expected) < 1e-3)
            }
        }
    }

    @Test func perspectiveOfTheParentIsAboutItsAnchor() throws {
        let root = Layer.root(200, 100)
        root.perspectiveDistance = 400
        let layer = Layer.box(150, 80, 20, 10)
        layer.zPosition = 100
        root.add(layer)
        // Seen from the middle (100, 50), everything in the plane z = 100 is 1 / (1 − 100/400) as far from it.
        let seen = try #require(layer.convertToRoot([0, 0]))
        #expect(length(seen - (Vector2(100, 50) + Vector2(50, 30) / 0.75)) < 1e-3)
    }

    @Test func matricesComposeAboutTheAnchor() {
        let layer = Layer(bounds: Rectangle(x: 10, y: 20, width: 40, height: 60), position: [100, 200])
        layer.anchorPoint = [0.25, 0.5]
        layer.transform = Matrix4(rotation: .degrees(90), axis: [0, 0, 1])
        layer.zPosition = 7
        // The anchor stays; the right side is below it: y goes down.
        #expect(length(layer.parentFromLayer.project([20, 50, 0]) - Vector3(100, 200, 7)) < 1e-4)
        #expect(length(layer.parentFromLayer.project([30, 50, 0]) - Vector3(100, 210, 7)) < 1e-4)
    }

    @Test func pointsConvertBetweenTiltedLayers() throws {
        let root = Layer.root(300, 200)
        let a = Layer.box(20, 20, 100, 80).tilted(40)
        let b = Layer.box(60, 40, 100, 80).tilted(-30, about: [1, 0.4, 0])
        let inner = Layer.box(5, 5, 50, 50).tilted(20, about: [1, 0, 0], distance: 300)
        b.add(inner)
        root.add(a)
        root.add(b)
        for point in [Vector2(10, 10), Vector2(50, 40), Vector2(99, 79)] {
            let there = try #require(a.convert(point, to: inner))
            let back = try #require(a.convert(there, from: inner))
            #expect(length(back - point) < 1e-3)
        }
    }

    @Test func emptyLayersGiveFiniteNumbers() {
        let layer = Layer.box(0, 0, 100, 100)
        layer.transform = Matrix4(rotation: .degrees(90), axis: [0, 1, 0])
        #expect(layer.hitTest([50, 50]) == nil)
        #expect(layer.convertFromRoot([50, 50]) == nil)
        layer.transform = Matrix4(perspectiveDistance: 10) * Matrix4(translation: [0, 0, 50])
        #expect(layer.hitTest([50, 50]) == nil)
        #expect(layer.convertToRoot([50, 50]) == nil)
        for broken in [Matrix4(scale: [0, 0, 0]), Matrix4(scale: [.nan, 1, 1]), Matrix4(scale: [.infinity, 1, 1])] {
            layer.transform = broken
            #expect(layer.hitTest([50, 50]) == nil)
        }
        layer.transform = .identity
        #expect(layer.hitTest([.nan, 50]) == nil)
        layer.bounds = .zero
        #expect(layer.hitTest([50, 50]) == nil)
    }

    @Test func aLayerHasOneParent() {
        let (a, b, c) = (Layer(name: "a"), Layer(name: "b"), Layer(name: "c"))
        a.add(c)
        b.add(c)
        #expect(a.sublayers.isEmpty && c.parent === b)
        a.mask = c
        #expect(b.sublayers.isEmpty && c.parent === a && a.mask === c)
        a.add(c)
        #expect(a.mask == nil && a.sublayers.count == 1)
        let count = a.changeCount
        c.position = [1, 2]
        #expect(a.changeCount == count + 1)
        c.position = [1, 2]
        #expect(a.changeCount == count + 1)
        a.add(b)
        a.insert(b, at: 0)
        #expect(a.sublayers.map(\.name) == ["b", "c"])
        #expect(a.layer(named: "c") === c)
    }
}

@Suite struct LayerHitTests {
    @Test(arguments: [Float(0), 40, -60, 170]) func hitPointsProjectToThePointer(degrees: Float) throws {
        let root = Layer.root(300, 200)
        let layer = Layer.box(80, 40, 120, 100).tilted(degrees, about: [0.2, 1, 0], distance: 500)
        root.add(layer)
        for point in [Vector2(1, 1), Vector2(60, 50), Vector2(119, 99), Vector2(119, 1)] {
            let seen = try #require(layer.convertToRoot(point))
            let hit = try #require(root.hitTest(seen))
            #expect(hit.layer === layer)
            #expect(length(hit.point - point) < 1e-2)
        }
        let beside = try #require(layer.convertToRoot([-1, 50]))
        #expect(root.hitTest(beside) == nil)
    }

    @Test func hitTestsRespectShapesMasksAndClips() throws {
        let layer = Layer.box(0, 0, 100, 100, radius: 40)
        #expect(layer.hitTest([3, 3]) == nil)
        #expect(layer.hitTest([50, 3])?.layer === layer)
        layer.shape = .ellipse
        #expect(layer.hitTest([10, 10]) == nil)
        layer.shape = .path(Path.star(points: 5, radius: 50, innerRadius: 20).translated(by: [50, 50]))
        #expect(layer.hitTest([50, 50])?.layer === layer)
        #expect(layer.hitTest([5, 5]) == nil)
        layer.shape = .rectangle
        layer.cornerRadius = 0
        let inner = Layer.box(80, 80, 60, 60)
        layer.add(inner)
        #expect(layer.hitTest([120, 120])?.layer === inner)
        layer.clipsToBounds = true
        #expect(layer.hitTest([120, 120]) == nil)
        #expect(layer.hitTest([90, 90])?.layer === inner)
        layer.mask = Layer.box(0, 0, 50, 100)
        #expect(layer.hitTest([90, 90]) == nil)
        #expect(layer.hitTest([20, 20])?.layer === layer)
        layer.isHidden = true
        #expect(layer.hitTest([20, 20]) == nil)
    }

    @Test func theFrontmostLayerIsHitAndBacksIfDoubleSided() throws {
        let root = Layer.root(200, 200)
        let near = Layer.box(0, 0, 100, 100)
        near.zPosition = 30
        let far = Layer.box(50, 50, 100, 100)
        root.add(near)
        root.add(far)
        #expect(root.hitTest([75, 75])?.layer === near)
        near.transform = Matrix4(rotation: .degrees(180), axis: [0, 1, 0])
        #expect(root.hitTest([75, 75])?.layer === near)
        near.isDoubleSided = false
        #expect(root.hitTest([75, 75])?.layer === far)
    }

    @Test func layersInOneSpaceAreHitByDepth() throws {
        let root = Layer.root(200, 200)
        let group = Layer(frame: Rectangle(x: 0, y: 0, width: 200, height: 200))
        group.isFlattened = false
        group.transform = Matrix4(rotation: .degrees(180), axis: [0, 1, 0])
        let (front, back) = (Layer.box(50, 50, 100, 100), Layer.box(50, 50, 100, 100))
        front.zPosition = 20
        group.add(front)
        group.add(back)
        root.add(group)
        // Seen from behind, the order of depth is reversed.
        #expect(root.hitTest([100, 100])?.layer === back)
        group.isFlattened = true
        #expect(root.hitTest([100, 100])?.layer === front)
    }
}
