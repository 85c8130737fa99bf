import Testing
import VitrineMath

@testable import VitrineScene

@Suite struct PathTests {
    /// The area that a path fills, as triangles.
    static func area(_ path: Path, _ rule: FillRule = .nonZero) throws -> Float {
        PrimitiveTests.area(try Geometry.filled(path, fillRule: rule, flatness: 1e-4))
    }

    @Test func shapesHaveTheirAreas() throws {
        let cases: [(Path, Float)] = [
            (.rectangle(width: 3, height: 2), 6), (.circle(radius: 1), .pi), (.ellipse(radii: [2, 0.5]), .pi),
            (.roundedRectangle(width: 3, height: 2, cornerRadius: 0.5), 6 - 0.25 * (4 - .pi)),
            (.roundedRectangle(width: 2, height: 2, cornerRadius: 9), .pi), (.polygon([[0, 0], [2, 0], [0, 2]]), 2),
            (.star(points: 4, radius: 1, innerRadius: 0.5), 4 * 0.5 * Float(0.5).squareRoot()),
        ]
        for (path, expected) in cases { #expect(abs(try PathTests.area(path) - expected) < 2e-3 * expected) }
    }

    @Test func fillRulesDefineTheInterior() throws {
        let square = Path.rectangle(width: 2, height: 2)
        let turnedAround = square.mapPoints { [-$0.x / 2, $0.y / 2] }
        var sameWay = square
        sameWay.append(square.scaled(by: 0.5))
        #expect(try PathTests.area(sameWay) == 4 && PathTests.area(sameWay, .evenOdd) == 3)
        var hole = square
        hole.append(turnedAround)
        #expect(try PathTests.area(hole) == 3 && PathTests.area(hole, .evenOdd) == 3)
        var overlapping = square
        overlapping.append(square.translated(by: [1, 1]))
        #expect(try abs(PathTests.area(overlapping) - 7) < 1e-5 && abs(PathTests.area(overlapping, .evenOdd) - 6) < 1e-5)
        var twice = square
        twice.append(square)
        #expect(try PathTests.area(twice) == 4)
        #expect(throws: PathError.noArea) { try PathTests.area(twice, .evenOdd) }
        // The winding number of a pentagram's middle is 2.
        let pentagram = Path.polygon((0..<5).map { [sin(Float($0) * 0.8 * .pi), cos(Float($0) * 0.8 * .pi)] })
        let (whole, points) = (try PathTests.area(pentagram), try PathTests.area(pentagram, .evenOdd))
        #expect(abs(whole - 1.12257) < 1e-4 && abs(points - 0.77567) < 1e-4)
        let bowTie = Path.polygon([[-1, -1], [1, 1], [1, -1], [-1, 1]])
        #expect(try abs(PathTests.area(bowTie) - 2) < 1e-5)
    }

    /// SVG's y points down, ours up.
    @Test func pathDataIsParsed() throws {
        let cases: [(String, Float)] = [
            ("M0 0 L10 0 L10 10 L0 10 Z", 100), ("m0,0 10,0 0,10 -10,0z", 100), ("M0 0H10V10H0Z", 100), ("M0 0h10v10h-10z", 100),
            ("M5 0 A5 5 0 0 1 5 10 A5 5 0 0 1 5 0Z", 25 * .pi), ("M5 0a5 5 0 1110 0a5 5 0 11-10 0", 25 * .pi),
            ("M0 0Q5 10 10 0", 10 * 10 / 3), ("M0 0C0 10 10 10 10 0Z", 60), ("M0-0.5.5 0 1-.5", 0.25), ("M0 0 1e1 0 1E+1 100e-1 0 10", 100),
            ("M0 0c0 5 5 5 5 0s5-5 5 0l0 20-10 0z", 200), ("M0 0q5 5 10 0t10 0v10h-20z", 200),
            ("M0 0h4v4h-4zm10 0h4v4h-4z", 32), ("M0 0 A0 5 0 0 0 10 0 L10 10z", 50), ("M0 0A1 1 0 0 1 10 0z", 12.5 * .pi),
            ("M0 0A10 5 90 0 1 10 0z", 10 * 5 * .pi * 0.5), (" \n", 0), ("M0 0h5v5h-5v-5zh-5v5h5z", 50),
        ]
        for (data, expected) in cases where expected > 0 {
            let measured = try PathTests.area(Path(svg: data))
            if data == "M0 0A10 5 90 0 1 10 0z" {
                #expect(abs(measured - 78.54) < 0.1, "\(data): \(measured)")
            } else {
                #expect(abs(measured - expected) < 2e-3 * expected, "\(data): \(measured)")
            }
        }
        #expect(try Path(svg: " \n").isEmpty)
        #expect(try Path(svg: "M1 2").currentPoint == [1, -2])
        let tick = try Path(svg: "M2 9 L7 14 L17 3").fitted(height: 1)
        let box = try #require(tick.controlBounds)
        #expect(abs(box.maximum.y - 0.5) < 1e-6 && abs(box.minimum.y + 0.5) < 1e-6 && tick.elements.count == 3)
    }

    @Test(arguments: [
        ("L0 0", 0, "begin with M"), ("M0", 2, "number"), ("M0 0 L1", 7, "number"), ("M0 0 X", 5, "command"),
        ("M0 0 A1 1 0 2 0 1 1", 12, "flag"),
        ("M0 0 L1e99 0", 6, "too large"), ("M0 0,", 4, "command"), ("M0 0 L1,,2", 8, "number"), ("M0 0 L. 1", 6, "number"),
        ("M\u{e9}", 1, "number"),
    ])
    func pathDataThatCantBeReadIsNamed(_ data: String, _ offset: Int, _ reason: String) {
        do throws(PathError) {
            _ = try Path(svg: data)
            Issue.record("\(data) was read")
        } catch {
            guard case .pathData(let found, let words) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(found == offset && words.contains(reason), "\(data): \(error)")
        }
    }

    @Test func pathsWithoutAreaAreRefused() throws {
        let flat: [Path] = [
            Path(), .polygon([[1, 1]]), .polygon([[0, 0], [1, 1]]), .polygon([[0, 0], [1, 1], [3, 3]]), .rectangle(width: 1, height: 0),
        ]
        for path in flat { #expect(throws: PathError.noArea) { try Geometry.filled(path) } }
        #expect(throws: PathError.notFinite(element: 1)) { try Geometry.filled(.polygon([[0, 0], [.nan, 0], [1, 1]])) }
        #expect(throws: PathError.notFinite(element: 2)) { try Geometry.filled(.polygon([[0, 0], [1, 0], [1, .infinity]])) }
        #expect(try PathTests.area(.polygon([[0, 0], [1e14, 0], [0, 1e14]])) > 4e27)
        #expect(try Geometry.filled(.polygon([[0, 0], [1e-15, 0], [0, 1e-15]])).triangleCount == 1)
        #expect(throws: PathError.tooComplex) { try Geometry.filled(.star(points: 20_000, radius: 1, innerRadius: 0.5)) }
    }

    /// Random lines between few points, with many intersections: the filled region matches the winding number.
    @Test(arguments: 0..<60)
    func crossingsOfAllKindsAreResolved(_ seed: Int) throws {
        var random = SplitMix64(seed: UInt64(seed))
        var path = Path()
        var outlines: [[Vector2]] = []
        let (spread, isFine) = (4 + random.below(12), seed % 3 == 0)
        for _ in 0...random.below(3) {
            outlines.append(
                (0..<3 + random.below(14)).map { _ in
                    let point = Vector2(Float(random.below(spread)), Float(random.below(spread)))
                    return isFine ? point + Vector2(Float(random.below(1000)), Float(random.below(1000))) / 1000 : point
                })
            path.append(.polygon(outlines[outlines.count - 1]))
        }
        for rule in [FillRule.nonZero, .evenOdd] {
            guard let geometry = try? Geometry.filled(path, fillRule: rule) else { continue }
            for _ in 0..<60 {
                let point = Vector2(Float(random.below(spread * 7919)), Float(random.below(spread * 7919))) / 7919
                let winding = outlines.reduce(0) { $0 + PathTests.winding(of: $1, around: point) }
                let isInside = rule == .nonZero ? winding != 0 : winding % 2 != 0
                #expect(PathTests.covers(geometry, point) == isInside || PathTests.isNear(outlines, point), "\(seed) \(rule) \(point)")
            }
        }
    }

    static func winding(of outline: [Vector2], around point: Vector2) -> Int {
        var winding = 0
        for index in outline.indices {
            let (a, b) = (outline[index], outline[(index + 1) % outline.count])
            let side = (b.x - a.x) * (point.y - a.y) - (b.y - a.y) * (point.x - a.x)
            if a.y <= point.y, b.y > point.y, side > 0 { winding += 1 }
            if a.y > point.y, b.y <= point.y, side < 0 { winding -= 1 }
        }
        return winding
    }

    static func isNear(_ outlines: [[Vector2]], _ point: Vector2) -> Bool {
        outlines.contains { outline in
            outline.indices.contains { index in
                let (a, b) = (outline[index], outline[(index + 1) % outline.count])
                let t = a == b ? 0 : clamp(dot(point - a, b - a) / lengthSquared(b - a), 0, 1)
                return distance(point, mix(a, b, t)) < 1e-4
            }
        }
    }

    /// Whether a triangle covers the place.
    static func covers(_ geometry: Geometry, _ point: Vector2) -> Bool {
        let positions = geometry.attribute(.position)!
        var isCovered = false
        geometry.forEachTriangle { _, a, b, c in
            let corners = [a, b, c].map { positions.vector3(at: $0) }
            if (0..<3).allSatisfy({ corner in
                let (p, q) = (corners[corner], corners[(corner + 1) % 3])
                return (q.x - p.x) * (point.y - p.y) - (q.y - p.y) * (point.x - p.x) >= 0
            }) {
                isCovered = true
            }
        }
        return isCovered
    }
}
