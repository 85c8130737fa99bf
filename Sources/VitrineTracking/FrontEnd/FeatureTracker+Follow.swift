import VitrineMath
import VitrineVision

extension FeatureTracker {
    /// How far from the picture's edge a feature must stay, in working pixels.
    private static let margin: Float = 8

    private enum Outcome {
        case found(SIMD2<Float>)
        case leftPicture, looksOther, notReturned
    }

    /// Finds the old picture's features in the new one; those that fail a check are gone.
    /// - Parameters:
    ///   - turn: the new camera from the old one.
    ///   - isSure: whether that was measured; a guess only says where to look.
    mutating func follow(_ turn: Matrix3d?, isSure: Bool) {
        var kept: [Track] = []
        var before: [Track] = []
        kept.reserveCapacity(tracks.count)
        before.reserveCapacity(tracks.count)
        // Below a degree or so patches look as they did.
        let isBending = turn.map { $0.trace < 3 - 2e-4 } ?? false
        for track in tracks {
            let guess = turn.flatMap { predicted(track.ray, $0) }
            let warp = isBending ? guess.flatMap { self.warp(track.place, turn!, to: $0) } : nil
            switch find(track.place, guess: guess ?? track.place, warp) {
            case .found(let place):
                before.append(track)
                var moved = track
                (moved.place, moved.ray, moved.age) = (place, ray(place, new.scale), track.age + 1)
                kept.append(moved)
            case .leftPicture: report.lostAtEdge += 1
            case .looksOther: report.lostByLooks += 1
            case .notReturned: report.lostOnReturn += 1
            }
        }
        checkMotion(before, &kept, isSure ? turn : nil)
        tracks = uncrowded(kept)
        report.tracked = tracks.count
    }

    /// Where a direction of the old camera falls in the new picture, in working pixels; nil behind the camera.
    private func predicted(_ ray: Vector3d, _ turn: Matrix3d) -> SIMD2<Float>? {
        let turned = turn * ray
        guard turned.z > 0.05 else { return nil }
        let pixel = lens.project(turned) / Double(new.scale)
        guard abs(pixel.x) < 1e5, abs(pixel.y) < 1e5 else { return nil }
        return SIMD2(Float(pixel.x), Float(pixel.y))
    }

    /// What the turn does to the patch about a place: where its pixels were in the old picture. Nil for next to nothing.
    private func warp(_ place: SIMD2<Float>, _ turn: Matrix3d, to guess: SIMD2<Float>) -> PatchMatcher.Warp? {
        let step: Float = 8
        guard let right = predicted(ray(place + SIMD2(step, 0), old.scale), turn),
            let down = predicted(ray(place + SIMD2(0, step), old.scale), turn)
        else { return nil }
        let newFromOld = PatchMatcher.Warp(x: (right - guess) / step, y: (down - guess) / step)
        return newFromOld.isIdle || !newFromOld.isUsable || !newFromOld.inverse.isUsable ? nil : newFromOld.inverse
    }

    private mutating func find(_ place: SIMD2<Float>, guess: SIMD2<Float>, _ warp: PatchMatcher.Warp?) -> Outcome {
        guard isInside(guess, slack: 32) else { return .leftPicture }
        guard let there = descend(from: old, to: new, place, guess: guess, warp) else { return .looksOther }
        guard isInside(there, slack: 0) else { return .leftPicture }
        guard matcher.similarity(new.levels[0], there) >= settings.leastSimilarity else { return .looksOther }
        // Back from where it was found, as far off as it began on the way there.
        guard let back = descend(from: new, to: old, there, guess: place + (there - guess), warp?.inverse) else { return .notReturned }
        return squaredDistance(back, place) <= settings.returnLimit * settings.returnLimit ? .found(there) : .notReturned
    }

    private func isInside(_ place: SIMD2<Float>, slack: Float) -> Bool {
        let (level, margin) = (new.levels[0], Self.margin - slack)
        return place.x >= margin && place.y >= margin && place.x <= Float(level.width) - margin
            && place.y <= Float(level.height) - margin
    }

    /// The patch about `place` of one picture in another, from the smallest size to the largest; nil where the largest can't tell.
    private mutating func descend(
        from: ImagePyramid, to: ImagePyramid, _ place: SIMD2<Float>, guess: SIMD2<Float>, _ warp: PatchMatcher.Warp?
    ) -> SIMD2<Float>? {
        var there = guess
        for index in stride(from: min(from.levels.count, to.levels.count) - 1, through: 0, by: -1) {
            let scale = 1 / Float(1 << index)
            let (source, target) = (from.levels[index], to.levels[index])
            // The small sizes only lead to where the largest is exact.
            let strength = matcher.take(source, place * scale, warp: index == 0 ? warp : nil)
            // A small size where the patch is plain tells nothing, and one that leads far away isn't believed.
            guard let strength, strength > 0.5 else {
                if index == 0 { return nil }
                continue
            }
            let start = there * scale
            let found = matcher.find(target, from: start, iterations: index == 0 ? 12 : 6, precision: index == 0 ? 0.01 : 0.03)
            if let found, squaredDistance(found, start) < 100 {
                there = found / scale
            } else if index == 0 {
                return nil
            }
        }
        return there
    }

    /// Drops what doesn't move with the rest, and reports how the rest moves.
    private mutating func checkMotion(_ before: [Track], _ kept: inout [Track], _ turn: Matrix3d?) {
        let focal = 0.5 * (lens.focal.x + lens.focal.y)
        let check = EpipolarCheck(
            first: before.map(\.ray), second: kept.map(\.ray), limit: settings.epipolarLimit * Double(new.scale) / focal)
        guard let (motion, agree) = check.search(rotation: turn) else { return }
        report.lostByMotion = agree.count { !$0 }
        report.rotation = motion.rotation
        let moves = kept.indices.map { Double(squaredDistance(kept[$0].place, before[$0].place).squareRoot()) * Double(new.scale) }
        let parallaxes = kept.indices.map { focal * length(kept[$0].ray - motion.rotation * before[$0].ray) }
        (report.medianMotion, report.medianParallax) = (Self.median(moves), Self.median(parallaxes))
        kept = kept.indices.filter { agree[$0] }.map { kept[$0] }
    }

    private static func median(_ values: [Double]) -> Double { values.isEmpty ? 0 : values.sorted()[values.count / 2] }

    /// Of features that came together the one followed longest stays.
    private mutating func uncrowded(_ tracks: [Track]) -> [Track] {
        let limit = settings.minimumDistance * settings.minimumDistance * 0.25
        var kept: [Track] = []
        kept.reserveCapacity(tracks.count)
        for track in tracks {
            if kept.allSatisfy({ squaredDistance($0.place, track.place) >= limit }) {
                kept.append(track)
            } else {
                report.lostByCrowding += 1
            }
        }
        return kept
    }

    /// Adds corners of the new picture, first where there are no features, then beside others.
    mutating func refill() {
        guard tracks.count < settings.maximumFeatures else { return }
        let level = new.levels[0]
        let columns = (level.width + finder.side - 1) / finder.side
        let rows = (level.height + finder.side - 1) / finder.side
        var inCell = [Int](repeating: 0, count: columns * rows)
        let side = Float(finder.side)
        for track in tracks { inCell[Int(track.place.y / side) * columns + Int(track.place.x / side)] += 1 }

        var rounds: [[CornerFinder.Corner]] = [[], [], []]
        for cell in inCell.indices where inCell[cell] < rounds.count {
            let found = finder.corners(
                level, x: cell % columns * finder.side, y: cell / columns * finder.side, margin: Int(Self.margin) + 1,
                weakest: settings.weakestCorner, distance: settings.minimumDistance, most: rounds.count - inCell[cell])
            for (k, corner) in found.enumerated() { rounds[inCell[cell] + k].append(corner) }
        }
        let limit = settings.minimumDistance * settings.minimumDistance
        for corners in rounds {
            // Equal strengths keep the order of cells.
            for index in corners.indices.sorted(by: { (corners[$1].strength, $0) < (corners[$0].strength, $1) }) {
                guard tracks.count < settings.maximumFeatures else { break }
                let place = corners[index].place
                guard tracks.allSatisfy({ squaredDistance($0.place, place) >= limit }) else { continue }
                tracks.append(Track(id: newID(), place: place, ray: ray(place, new.scale)))
                report.new += 1
            }
        }
    }
}
