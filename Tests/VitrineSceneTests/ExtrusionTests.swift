import Testing
import VitrineMath

@testable import VitrineScene

@Suite struct ExtrusionTests {
    /// Every edge is met as often one way as the other: nothing is open.
    static func isClosed(_ geometry: Geometry) -> Bool {
        let positions = geometry.attribute(.position)!
        var balance: [[Vector3]: Int] = [:]
        geometry.forEachTriangle { _, a, b, c in
            for (from, to) in [(a, b), (b, c), (c, a)] {
                let (p, q) = (positions.vector3(at: from) + 0, positions.vector3(at: to) + 0)
                balance[[p, q], default: 0] += 1
                balance[[q, p], default: 0] -= 1
            }
        }
        return balance.values.allSatisfy { $0 == 0 }
    }

    static func volume(_ geometry: Geometry) -> Float {
        let positions = geometry.attribute(.position)!
        var volume: Float = 0
        geometry.forEachTriangle { _, a, b, c in
            volume += dot(positions.vector3(at: a), cross(positions.vector3(at: b), positions.vector3(at: c))) / 6
        }
        return volume
    }

    /// The share of the surface whose normals look out, and whether they are unit with tangents at right angles.
    static func check(_ geometry: Geometry, _ name: String) {
        let (positions, normals, tangents) = (
            geometry.attribute(.position)!, geometry.attribute(.normal)!, geometry.attribute(.tangent)!
        )
        var isSound = true
        for vertex in 0..<geometry.vertexCount {
            let (n, t) = (normals.vector3(at: vertex), tangents.vector3(at: vertex))
            if abs(length(n) - 1) > 1e-4 || abs(length(t) - 1) > 1e-4 || abs(dot(n, t)) > 1e-4 { isSound = false }
        }
        #expect(isSound, "\(name)")
        var outward: Float = 0
        geometry.forEachTriangle { _, a, b, c in
            let p = positions.vector3(at: a)
            let face = cross(positions.vector3(at: b) - p, positions.vector3(at: c) - p)
            let looksOut = [a, b, c].allSatisfy { dot(face, normals.vector3(at: $0)) >= -1e-3 * length(face) }
            if looksOut { outward += length(face) / 2 }
        }
        #expect(outward > 0.999 * PrimitiveTests.area(geometry), "\(name)")
        #expect(isClosed(geometry), "\(name)")
    }

    static let ring: Path = {
        var path = Path.circle(radius: 1)
        path.append(Path.circle(radius: 0.5).mapPoints { [-$0.x, $0.y] })
        return path
    }()

    @Test func prismsHaveTheirVolumes() throws {
        let cases: [(String, Path, Float)] = [
            ("square", .rectangle(width: 2, height: 1), 2), ("circle", .circle(radius: 1), .pi), ("ring", ExtrusionTests.ring, 0.75 * .pi),
            ("star", .star(points: 4, radius: 1, innerRadius: 0.5), 2 * Float(0.5).squareRoot()),
        ]
        for (name, path, area) in cases {
            let geometry = try Geometry.extruded(path, depth: 0.5, flatness: 1e-4)
            ExtrusionTests.check(geometry, name)
            #expect(abs(ExtrusionTests.volume(geometry) - area / 2) < 1e-3 * area, "\(name)")
            #expect(abs(geometry.bounds.maximum.z - 0.25) < 1e-6 && abs(geometry.bounds.minimum.z + 0.25) < 1e-6)
        }
    }

    /// A square of side s shrinks to s − 2 d: the volume in a bevel is the integral over its depth.
    @Test func bevelsRemoveTheirVolume() throws {
        let square = Path.rectangle(width: 1, height: 1)
        let (r, s) = (Float(0.1), Float(1))
        let flat = try Geometry.extruded(square, depth: 0.5, bevel: Bevel(radius: r, segments: 1))
        let frustum = r / 3 * (s * s + s * (s - 2 * r) + (s - 2 * r) * (s - 2 * r))
        #expect(abs(ExtrusionTests.volume(flat) - (s * s * (0.5 - 2 * r) + 2 * frustum)) < 1e-5)
        ExtrusionTests.check(flat, "flat")
        let round = try Geometry.extruded(square, depth: 0.5, bevel: Bevel(radius: r, segments: 32))
        // ∫ (s − 2 r (1 − cos φ))² r cos φ dφ over a quarter.
        let a = s - 2 * r
        let rounded = r * (a * a + 4 * r * a * .pi / 4 + 4 * r * r * 2 / 3)
        #expect(abs(ExtrusionTests.volume(round) - (s * s * (0.5 - 2 * r) + 2 * rounded)) < 1e-4)
        ExtrusionTests.check(round, "round")
        let oneSided = try Shape.extruded(square, depth: 0.5, bevel: Bevel(radius: r, back: false))
        #expect(oneSided.sides == [.front, .back, .side, .frontBevel])
        #expect(oneSided[.back]!.bounds.size.x == 1 && abs(oneSided[.front]!.bounds.size.x - 0.8) < 1e-6)
        #expect(
            try Shape.extruded(square, depth: 0.5, bevel: Bevel(radius: r)).sides == [
                .front, .back, .side, .frontBevel, .backBevel,
            ])
    }

    @Test func holesGrowByTheirBevel() throws {
        let shape = try Shape.extruded(ExtrusionTests.ring, depth: 1, bevel: Bevel(radius: 0.1), flatness: 1e-4)
        #expect(abs(PrimitiveTests.area(shape[.front]!) - .pi * (0.81 - 0.36)) < 2e-3)
        ExtrusionTests.check(try .extruded(ExtrusionTests.ring, depth: 1, bevel: Bevel(radius: 0.1)), "ring")
    }

    /// A piece that is too narrow gets a narrower bevel, independently of the others.
    @Test func bevelsAreNarrowedInNarrowPieces() throws {
        var path = Path.rectangle(width: 2, height: 2)
        path.append(Path.rectangle(width: 0.1, height: 2).translated(by: [2, 0]))
        let shape = try Shape.extruded(path, depth: 1, bevel: Bevel(radius: 0.2, segments: 1))
        let front = shape[.front]!
        let positions = front.attribute(.position)!
        let wide = (0..<front.vertexCount).map { positions.vector3(at: $0).x }.filter { $0 < 1.5 }.max()!
        let narrow = (0..<front.vertexCount).map { positions.vector3(at: $0).x }.max()!
        #expect(abs(wide - 0.8) < 1e-5 && abs(narrow - (2.05 - 0.05 * 0.95)) < 2e-4)
        ExtrusionTests.check(try .extruded(path, depth: 1, bevel: Bevel(radius: 0.2)), "narrow")
        // Deeper than half of the shape: the depth is clamped, and there is no side.
        let lens = try Shape.extruded(.circle(radius: 1), depth: 0.2, bevel: Bevel(radius: 0.5))
        #expect(lens.sides == [.front, .back, .frontBevel, .backBevel])
    }

    /// Corners that are rounder than the bevel become sharp, and sharp notches are cut off.
    @Test func smallRoundingsAndSharpNotchesDontBreakABevel() throws {
        let paths: [(String, Path)] = [
            ("rounded", .roundedRectangle(width: 2, height: 1, cornerRadius: 0.05)),
            ("needles", .star(points: 7, radius: 1, innerRadius: 0.3)), ("gear", .star(points: 24, radius: 1, innerRadius: 0.9)),
            ("notch", .polygon([[0, 0], [2, 0], [2, 2], [1.02, 2], [1, 0.5], [0.98, 2], [0, 2]])),
            ("heart", try Path(svg: "M50 90 C-40 30 20 -20 50 20 C80 -20 140 30 50 90 Z").fitted(height: 2)),
        ]
        for (name, path) in paths {
            for segments in [1, 5] {
                let sharp = try Geometry.extruded(path, depth: 0.5)
                let bevelled = try Geometry.extruded(path, depth: 0.5, bevel: Bevel(radius: 0.1, segments: segments))
                ExtrusionTests.check(bevelled, name)
                let (whole, rest) = (ExtrusionTests.volume(sharp), ExtrusionTests.volume(bevelled))
                #expect(rest < whole && rest > 0.6 * whole, "\(name): \(rest) of \(whole)")
                #expect(bevelled.bounds == sharp.bounds, "\(name)")
            }
        }
    }

    /// Random outlines that cross themselves, with bevels of any size: closed, and no larger than without.
    @Test(arguments: 0..<40)
    func anyOutlineCanBeBevelled(_ seed: Int) throws {
        var random = SplitMix64(seed: UInt64(seed) + 1000)
        func number(_ range: Int) -> Float { Float(random.below(range * 64)) / 64 }
        var path = Path()
        for _ in 0...random.below(2) {
            path.move(to: [number(10), number(10)])
            for _ in 0..<3 + random.below(5) {
                if random.below(3) == 0 {
                    path.cubic(to: [number(10), number(10)], control1: [number(10), number(10)], control2: [number(10), number(10)])
                } else {
                    path.line(to: [number(10), number(10)])
                }
            }
            path.close()
        }
        let bevel = Bevel(radius: number(1) + 0.01, segments: seed % 2 == 0 ? 1 : 3)
        guard let sharp = try? Geometry.extruded(path, depth: 1) else { return }
        let bevelled = try Geometry.extruded(path, depth: 1, bevel: bevel)
        #expect(ExtrusionTests.isClosed(sharp) && ExtrusionTests.isClosed(bevelled), "\(seed)")
        let (whole, rest) = (ExtrusionTests.volume(sharp), ExtrusionTests.volume(bevelled))
        #expect(rest > 0 && rest <= whole * 1.0001, "\(seed)")
        #expect(
            all(bevelled.bounds.minimum .>= sharp.bounds.minimum - 1e-5) && all(bevelled.bounds.maximum .<= sharp.bounds.maximum + 1e-5))
    }

    @Test func normalsFollowTheCurves() throws {
        let circle = try Shape.extruded(.circle(radius: 1), depth: 1)[.side]!
        let (positions, normals) = (circle.attribute(.position)!, circle.attribute(.normal)!)
        for vertex in 0..<circle.vertexCount {
            let p = positions.vector3(at: vertex)
            #expect(distance(normals.vector3(at: vertex), Vector3(p.x, p.y, 0)) < 1e-3)
        }
        // On a square every corner is hard; on a polygon of many corners none is.
        func normalCount(_ path: Path) throws -> Int {
            let side = try Shape.extruded(path, depth: 1)[.side]!
            let normals = side.attribute(.normal)!
            return Set((0..<side.vertexCount).map { (normals.vector3(at: $0) * 1024).rounded(.toNearestOrEven) + 0 }).count
        }
        let polygon = Path.polygon((0..<36).map { [cos(Float($0) / 18 * .pi), sin(Float($0) / 18 * .pi)] })
        #expect(try normalCount(.rectangle(width: 1, height: 1)) == 4 && normalCount(polygon) == 36)
    }

    @Test func theTextureLiesUprightOnTheFront() throws {
        let shape = try Shape.extruded(.rectangle(width: 4, height: 2), depth: 0.2, bevel: Bevel(radius: 0.05))
        for (side, sign) in [(Shape.Side.front, Float(1)), (.frontBevel, 1), (.back, -1), (.backBevel, -1)] {
            let part = shape[side]!
            let (positions, coordinates) = (part.attribute(.position)!, part.attribute(.textureCoordinate(set: 0))!)
            for vertex in 0..<part.vertexCount {
                let p = positions.vector3(at: vertex)
                #expect(distance(coordinates.vector2(at: vertex), Vector2(0.5 + sign * p.x / 4, 0.5 - p.y / 2)) < 1e-5)
            }
        }
        let made = try shape[.front]!.withTangents().attribute(.tangent)!
        #expect(made.values == shape[.front]!.attribute(.tangent)!.values)
        let side = shape[.side]!
        #expect(dot(try side.withTangents().attribute(.tangent)!.vector3(at: 0), side.attribute(.tangent)!.vector3(at: 0)) > 0.999)
    }

    /// The examples of `Path`, `Path.init(svg:)` and `Shape.extruded`.
    @Test func theDocumentationsExamplesAreSolids() throws {
        var leaf = Path()
        leaf.move(to: [0, 0])
        leaf.cubic(to: [0, 1], control1: [0.6, 0.3], control2: [0.4, 0.8])
        leaf.cubic(to: [0, 0], control1: [-0.4, 0.8], control2: [-0.6, 0.3])
        leaf.close()
        ExtrusionTests.check(try .extruded(leaf, depth: 0.1, bevel: Bevel(radius: 0.03)), "leaf")
        let outline = Path.roundedRectangle(width: 0.0856, height: 0.054, cornerRadius: 0.0032)
        let card = try Shape.extruded(outline, depth: 0.0008, bevel: Bevel(radius: 0.0002))
        #expect(distance(card.bounds.size, [0.0856, 0.054, 0.0008]) < 1e-7)
    }
}
