import Foundation
import VitrineMath

@testable import VitrineGeometry
@testable import VitrineSurface
@testable import VitrineTexture
@testable import VitrineVision

/// Single stages of a reconstruction on the inputs of the baselines. Files are bare little-endian numbers: points six floats each (position, normal);
/// meshes a count of vertices and one of triangles (UInt32), then positions (three floats) and corners (three UInt32).
///
/// Prints one line of JSON: seconds of the stage alone, without reading and writing.
@main
enum VitrineStages {
    static let usage = """
        usage: vitrine-stages poisson POINTS DEPTH OUT.mesh | reduce MESH TRIANGLES OUT.mesh | charts MESH TEXTURE-SIZE | depth
        """

    static func main() {
        let words = Array(CommandLine.arguments.dropFirst())
        do {
            switch (words.first, words.count) {
            case ("poisson", 4): try poisson(words[1], depth: number(words[2]), to: words[3])
            case ("reduce", 4): try reduce(words[1], to: number(words[2]), words[3])
            case ("charts", 3): try charts(words[1], size: number(words[2]))
            case ("depth", 1): print(try DepthStage().measure())
            default: throw Usage()
            }
        } catch {
            FileHandle.standardError.write(Data("error: \(error)\n".utf8))
            exit(1)
        }
    }

    struct Usage: Error, CustomStringConvertible {
        var description: String { usage }
    }

    static func number(_ word: String) throws -> Int {
        guard let value = Int(word) else { throw Usage() }
        return value
    }

    /// Measures screened Poisson and its contour, without filters and trimming, as in the baseline.
    static func poisson(_ path: String, depth: Int, to out: String) throws {
        let values: [Float] = try numbers(path)
        var points = OrientedPoints()
        for i in stride(from: 0, to: values.count - 5, by: 6) {
            points.positions.append(Vector3(values[i], values[i + 1], values[i + 2]))
            points.normals.append(Vector3(values[i + 3], values[i + 4], values[i + 5]))
        }
        var options = SurfaceBuilder.Options()
        (options.filtersPoints, options.trimsUnsupported, options.closesBase) = (false, false, false)
        (options.minimumComponentShare, options.maximumDepth, options.cellSize) = (0, depth, 1)
        // Points far finer than the cells: the depth alone decides.
        points.spacings = Array(repeating: 1e-6, count: points.positions.count)
        let (seconds, result) = try time { try SurfaceBuilder(options: options).build(points: points) }
        let mesh = result.fullMesh
        try write(mesh, to: out)
        print(#"{"seconds": \#(seconds), "depth": \#(result.statistics.depth), "triangles": \#(mesh.triangles.count)}"#)
    }

    static func reduce(_ path: String, to count: Int, _ out: String) throws {
        let mesh = try readMesh(path)
        let (seconds, reduced) = time { mesh.reduced(to: count).mesh }
        try write(reduced, to: out)
        print(#"{"seconds": \#(seconds), "triangles": \#(reduced.triangles.count)}"#)
    }

    static func charts(_ path: String, size: Int) throws {
        let mesh = try readMesh(path)
        let (seconds, made) = try time {
            let surface = try SurfaceTopology(mesh)
            let charts = try ChartBuilder(surface).charts(in: StageContext())
            let packing = try ChartPacking(charts: charts, size: size, padding: 2).pack(in: StageContext())
            return Atlas(charts, packing, surface, size: size)
        }
        var used: Float = 0
        for t in made.triangles {
            let (a, b, c) = (made.texels[Int(t.x)], made.texels[Int(t.y)], made.texels[Int(t.z)])
            used += abs((b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x)) / 2
        }
        print(
            #"{"seconds": \#(seconds), "charts": \#(made.chartCount), "stretch": \#(made.meanStretch), "used": \#(used / Float(size * size))}"#
        )
    }

    /// Returns the duration in seconds and the result.
    static func time<Result>(_ work: () throws -> Result) rethrows -> (seconds: Double, result: Result) {
        let start = ContinuousClock.now
        let result = try work()
        let elapsed = (ContinuousClock.now - start).components
        return (Double(elapsed.seconds) + Double(elapsed.attoseconds) / 1e18, result)
    }

    static func numbers<Number>(_ path: String) throws -> [Number] {
        let data = try Data(contentsOf: URL(fileURLWithPath: path))
        return data.withUnsafeBytes { Array($0.bindMemory(to: Number.self)) }
    }

    static func readMesh(_ path: String) throws -> TriangleMesh {
        let words: [UInt32] = try numbers(path)
        guard words.count >= 2, words.count == 2 + 3 * (Int(words[0]) + Int(words[1])) else { throw Usage() }
        var mesh = TriangleMesh()
        for i in 0..<Int(words[0]) {
            let p = words[(2 + 3 * i)...].prefix(3).map { Float(bitPattern: $0) }
            mesh.positions.append(Vector3(p[0], p[1], p[2]))
        }
        let start = 2 + 3 * Int(words[0])
        for i in 0..<Int(words[1]) {
            mesh.triangles.append(SIMD3(words[start + 3 * i], words[start + 3 * i + 1], words[start + 3 * i + 2]))
        }
        return mesh
    }

    static func write(_ mesh: TriangleMesh, to path: String) throws {
        var words = [UInt32(mesh.positions.count), UInt32(mesh.triangles.count)]
        for p in mesh.positions { words += [p.x.bitPattern, p.y.bitPattern, p.z.bitPattern] }
        for t in mesh.triangles { words += [t.x, t.y, t.z] }
        try words.withUnsafeBytes { try Data($0).write(to: URL(fileURLWithPath: path)) }
    }
}
