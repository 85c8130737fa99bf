import VitrineMath
import VitrineVision

@testable import VitrineSurface

/// Point clouds of exactly known shapes.
enum Clouds {
    static func make(_ count: Int, area: Float, noise: Float = 0, seed: UInt64 = 1, _ sample: (inout SplitMix64) -> (Vector3, Vector3))
        -> OrientedPoints
    {
        var random = SplitMix64(seed: seed)
        var points = OrientedPoints()
        for _ in 0..<count {
            let (position, normal) = sample(&random)
            points.positions.append(position + Vector3(random.normal(), random.normal(), random.normal()) * noise)
            points.normals.append(normal)
            points.spacings.append((area / Float(count)).squareRoot())
            points.confidences.append(1)
        }
        return points
    }

    /// Radius 1 about the origin.
    static func sphere(_ count: Int, noise: Float = 0) -> OrientedPoints {
        make(count, area: 4 * .pi, noise: noise) {
            let direction = $0.direction()
            return (direction, direction)
        }
    }

    /// Radii 1 and 0.35, about z.
    static func torus(_ count: Int) -> OrientedPoints {
        make(count, area: 4 * .pi * .pi * 0.35) { random in
            while true {
                let (u, v) = (2 * Float.pi * random.even(), 2 * Float.pi * random.even())
                // The outer side has more area.
                if random.even() * 1.35 > 1 + 0.35 * cos(v) { continue }
                let normal = Vector3(cos(u) * cos(v), sin(u) * cos(v), sin(v))
                return (Vector3(cos(u), sin(u), 0) + normal * 0.35, normal)
            }
        }
    }

    /// Half extents (1, 0.6, 0.4); without its bottom (−y) if `isOpen`.
    static func box(_ count: Int, isOpen: Bool = false) -> OrientedPoints {
        let half = Vector3(1, 0.6, 0.4)
        let areas: [Float] = [0.24, 0.24, isOpen ? 0 : 0.4, 0.4, 0.6, 0.6]
        let total = areas.reduce(0, +)
        return make(count, area: 4 * total) { random in
            var pick = random.even() * total
            var face = 0
            while face < 5, pick >= areas[face] {
                pick -= areas[face]
                face += 1
            }
            var normal = Vector3.zero
            normal[face / 2] = face % 2 == 0 ? -1 : 1
            var position = Vector3(2 * random.even() - 1, 2 * random.even() - 1, 2 * random.even() - 1)
            position[face / 2] = normal[face / 2]
            return (position * half, normal)
        }
    }

    /// A hilly ground of 1 × 1 with a normal, a spacing, a confidence and three photos for each point.
    static func ground(_ count: Int) -> OrientedPoints {
        var random = SplitMix64(seed: 3)
        var points = OrientedPoints()
        for keyPath in [\OrientedPoints.positions, \.normals] { points[keyPath: keyPath].reserveCapacity(count) }
        for keyPath in [\OrientedPoints.spacings, \.confidences] { points[keyPath: keyPath].reserveCapacity(count) }
        points.colors.reserveCapacity(count)
        points.viewIndices.reserveCapacity(3 * count)
        points.viewOffsets.reserveCapacity(count + 1)
        // The area is 1.06.
        let spacing: Float = (1.06 / Float(count)).squareRoot()
        for index in 0..<count {
            let (x, z): (Float, Float) = (random.even(), random.even())
            let (sinX, cosX): (Float, Float) = (sin(14 * x), cos(14 * x))
            let (sinZ, cosZ): (Float, Float) = (sin(11 * z), cos(11 * z))
            let noise: Float = 0.1 * spacing * random.normal()
            points.positions.append(Vector3(x, 0.03 * sinX * cosZ + noise, z))
            points.normals.append(normalize(Vector3(-0.42 * cosX * cosZ, 1, 0.33 * sinX * sinZ)))
            points.colors.append(SIMD4(repeating: 255))
            points.spacings.append(spacing)
            points.confidences.append(1)
            points.viewIndices += [0, 1, 2]
            points.viewOffsets.append(3 * (index + 1))
        }
        return points
    }

    static func joined(_ clouds: [OrientedPoints]) -> OrientedPoints {
        var result = OrientedPoints()
        for cloud in clouds {
            result.positions += cloud.positions
            result.normals += cloud.normals
            result.spacings += cloud.spacings
            result.confidences += cloud.confidences
        }
        return result
    }
}

/// Properties of a mesh as a surface, independent of the code under test.
struct MeshReport: Equatable {
    /// Derived from the number and the direction of the triangles at each edge.
    var isClosedManifold = true
    var eulerCharacteristic = 0
    var boundaryEdges = 0

    init(_ mesh: TriangleMesh) {
        var uses: [SIMD2<UInt32>: Int] = [:]
        var vertices = Set<UInt32>()
        for t in mesh.triangles {
            for corner in 0..<3 {
                uses[SIMD2(t[corner], t[(corner + 1) % 3]), default: 0] += 1
                vertices.insert(t[corner])
            }
        }
        var edges = 0
        for (edge, count) in uses {
            let back = uses[SIMD2(edge.y, edge.x)] ?? 0
            if count != 1 || back > 1 || edge.x == edge.y { isClosedManifold = false }
            if back == 0 {
                boundaryEdges += 1
                edges += 2
            } else {
                edges += 1
            }
        }
        if boundaryEdges > 0 { isClosedManifold = false }
        eulerCharacteristic = vertices.count - edges / 2 + mesh.triangles.count
        // The triangles around each vertex form one connected fan.
        if isClosedManifold { isClosedManifold = Self.areFansWhole(mesh) }
    }

    private static func areFansWhole(_ mesh: TriangleMesh) -> Bool {
        var successors: [SIMD2<UInt32>: UInt32] = [:]
        var degrees: [UInt32: Int] = [:]
        for t in mesh.triangles {
            for corner in 0..<3 {
                successors[SIMD2(t[corner], t[(corner + 1) % 3])] = t[(corner + 2) % 3]
                degrees[t[corner], default: 0] += 1
            }
        }
        for t in mesh.triangles {
            for corner in 0..<3 {
                var (steps, current) = (0, t[(corner + 1) % 3])
                repeat {
                    guard let next = successors[SIMD2(t[corner], current)] else { return false }
                    current = next
                    steps += 1
                } while current != t[(corner + 1) % 3] && steps <= degrees[t[corner]]!
                if steps != degrees[t[corner]]! { return false }
            }
        }
        return true
    }
}

extension SplitMix64 {
    /// 0..<1.
    mutating func even() -> Float { Float(next() >> 40) / Float(1 << 24) }

    /// Approximately normal, with a standard deviation of 1.
    mutating func normal() -> Float { (0..<12).reduce(-6) { sum, _ in sum + even() } }

    mutating func direction() -> Vector3 {
        let z = 2 * even() - 1
        let angle = 2 * Float.pi * even()
        let radius = (1 - z * z).squareRoot()
        return Vector3(radius * cos(angle), radius * sin(angle), z)
    }
}
