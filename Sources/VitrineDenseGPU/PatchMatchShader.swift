import VitrineDense

/// The WGSL source of PatchMatch: the formulas of `PatchMatch` and `ReferencePatch`, in the same order of operations.
///
/// An invocation visits one pixel. It writes the plane and the costs of this pixel only, and reads those of the other colour of the checkerboard.
enum PatchMatchShader {
    /// The largest number of views whose mean is a pixel's cost: see `DepthEstimator.Options.viewsPerPixel`.
    static let mostViewsPerPixel = 8
    /// The width and height of a workgroup in invocations.
    static let groupSide = 8

    static var source: String { declarations + patch + costs + planes + entryPoints }

    private static let declarations = """
        struct Source {
            // The mapping of the reference's pixels: M's columns and b.
            mx: vec4f, my: vec4f, m1: vec4f, b: vec4f,
            // The mapping of the pixels of the source's depth map to the reference.
            back_mx: vec4f, back_my: vec4f, back_m1: vec4f, back_b: vec4f,
            // The range of a patch's centre: low x, low y, high x, high y.
            bounds: vec4f,
            // In words: the first word, the distance of rows, the number of words.
            image: vec4u,
            // In depths: the first value, width, height, 1 if the source has a map.
            map: vec4u,
            // Map pixels per pixel.
            scale: vec4f,
        }
        struct Level {
            // Width, height, sources, views per pixel.
            size: vec4u,
            // The word of the reference's pixel (0, 0), the distance of its rows, the seed, 1 if there are priors.
            reference: vec4u,
            // Focal length, principal point.
            camera: vec4f,
            // The lowest and the highest inverse depth.
            range: vec4f,
            sources: array<Source, \(DepthEstimator.maximumSources)>,
            goodness: array<vec4f, 64>,
        }
        struct Sweep {
            // First row, end of the rows, colour, 1 if the costs by source are needed.
            rows: vec4u,
            // Reach of the arms, random steps, 1 if a random plane is tried, number.
            tries: vec4u,
            steps: array<vec4f, \(SweepUniforms.mostSteps)>,
        }
        @group(0) @binding(0) var<uniform> level: Level;
        @group(0) @binding(1) var<uniform> sweep: Sweep;
        @group(0) @binding(2) var<storage, read> words: array<u32>;
        @group(0) @binding(3) var<storage, read> depths: array<f32>;
        @group(0) @binding(4) var<storage, read> activity: array<u32>;
        @group(0) @binding(5) var<storage, read> priors: array<vec2f>;
        @group(0) @binding(6) var<storage, read_write> planes: array<vec4f>;
        @group(0) @binding(7) var<storage, read_write> view_costs: array<u32>;
        @group(0) @binding(8) var<storage, read> curvatures: array<vec4f>;

        const unseen = \(PatchMatch.unseen);
        const highest = 1e30;

        fn is_active(index: u32) -> bool { return ((activity[index >> 2u] >> (8u * (index & 3u))) & 255u) != 0u; }
        fn words_per_pixel() -> u32 { return (level.size.z + 3u) >> 2u; }
        fn cost_code(index: u32, view: u32) -> u32 {
            return (view_costs[index * words_per_pixel() + (view >> 2u)] >> (8u * (view & 3u))) & 255u;
        }
        fn goodness(code: u32) -> f32 { return level.goodness[code >> 2u][code & 3u]; }

        """

    // MARK: Patches

    /// The samples in groups of four. `ReferencePatch` adds vectors of eight lanes: groups with an even number are the lower halves.
    private static let groups = stride(from: 0, to: ReferencePatch.positions.count, by: 4).map {
        Array(ReferencePatch.positions[$0..<$0 + 4])
    }

    private static func vector(_ values: [Float]) -> String { "vec4f(\(values.map { "\($0)" }.joined(separator: ", ")))" }

    /// One line for each group; `text` uses `#` for its number.
    private static func lines(_ text: (Int) -> String) -> String {
        groups.indices.map { text($0).replacing("#", with: "\($0)") }.joined(separator: "\n    ")
    }

    /// The sum of a term over the lower or the upper halves; the term uses `#` for the number of a group.
    private static func sum(_ term: String, upper: Bool) -> String {
        let terms = (0..<4).map { "(" + term.replacing("#", with: "\(2 * $0 + (upper ? 1 : 0))") + ")" }
        return "(\(terms[0]) + \(terms[1])) + (\(terms[2]) + \(terms[3]))"
    }

    private static func total(_ term: String) -> String { "total(\(sum(term, upper: false)), \(sum(term, upper: true)))" }

    private static var patch: String {
        """
        // The patch of the reference: the weights, which sum to 1, and the weighted differences from the mean.
        var<private> weights: array<vec4f, 8>;
        var<private> products: array<vec4f, 8>;
        // The differences of the samples' inverse depths from the plane, and the largest.
        var<private> bends: array<vec4f, 8>;
        var<private> largest_bend: f32;
        var<private> curvature: vec4f;
        var<private> mean: f32;
        var<private> variance: f32;
        var<private> pixel: vec2f;

        fn total(low: vec4f, high: vec4f) -> f32 {
            let v = low + high;
            return (v.x + v.z) + (v.y + v.w);
        }
        fn gray(center: i32, x: i32, y: i32) -> f32 { return f32(words[center + y * i32(level.reference.y) + x] & 255u); }
        fn bilateral(difference: vec4f, near: vec4f) -> vec4f {
            var t = vec4f(1.0) - abs(difference) * \(Float(1.0 / (18 * 16))) - near;
            t = max(t, vec4f(0.0));
            t *= t;
            t *= t;
            t *= t;
            t *= t;
            return t + vec4f(1e-6);
        }
        fn load_patch(x: u32, y: u32) {
            let center = i32(level.reference.x + y * level.reference.y + x);
            let middle = vec4f(gray(center, 0, 0));
            \(lines { group in
                let values = groups[group].map { "gray(center, \(Int($0.x)), \(Int($0.y)))" }.joined(separator: ", ")
                return "let v# = vec4f(\(values));"
            })
            \(lines { group in
                let near = groups[group].map { ($0.x * $0.x + $0.y * $0.y) * Float(1.0 / (50 * 16)) }
                return "let g# = bilateral(v# - middle, \(vector(near)));"
            })
            let scale = 1.0 / \(total("g#"));
            mean = \(total("g# * v#")) * scale;
            \(lines { _ in "let d# = v# - vec4f(mean);" })
            \(lines { _ in "let w# = g# * scale;" })
            \(lines { _ in "let p# = w# * d#;" })
            \(lines { _ in "weights[#] = w#;" })
            curvature = curvatures[y * level.size.x + x];
            largest_bend = \(0.5 * ReferencePatch.radius * ReferencePatch.radius) * (abs(curvature.x) + 2.0 * abs(curvature.y) + abs(curvature.z));
            \(lines { group in
                let (x, y) = (vector(groups[group].map(\.x)), vector(groups[group].map(\.y)))
                return "bends[#] = \(x) * (\(x) * (0.5 * curvature.x) + \(y) * curvature.y) + \(y) * \(y) * (0.5 * curvature.z);"
            })
            \(lines { _ in "products[#] = p#;" })
            variance = \(total("p# * d#")) + \(ReferencePatch.noiseVariance);
        }
        fn sample(x: vec4f, y: vec4f, image: vec4u) -> vec4f {
            let left = floor(x);
            let top = floor(y);
            let index = min(vec4u(vec4i(top)) * image.y + vec4u(vec4i(left)), vec4u(image.z - 1u)) + vec4u(image.x);
            let word = vec4u(words[index.x], words[index.y], words[index.z], words[index.w]);
            let fx = x - left;
            let fy = y - top;
            let a = vec4f(word & vec4u(255u));
            let b = vec4f((word >> vec4u(8u)) & vec4u(255u));
            let c = vec4f((word >> vec4u(16u)) & vec4u(255u));
            let d = vec4f(word >> vec4u(24u));
            let above = a + fx * (b - a);
            let below = c + fx * (d - c);
            return above + fy * (below - above);
        }
        fn correlation_cost(at: vec2f, jx: vec2f, jy: vec2f, bend: vec2f, image: vec4u) -> f32 {
            \(lines { group in
                let (x, y) = (vector(groups[group].map(\.x)), vector(groups[group].map(\.y)))
                let across = "at.x + \(x) * jx.x + \(y) * jx.y + bends[#] * bend.x"
                let down = "at.y + \(x) * jy.x + \(y) * jy.y + bends[#] * bend.y"
                return "let s# = sample(\(across), \(down), image) - vec4f(mean);"
            })
            \(lines { _ in "let t# = weights[#] * s#;" })
            let sum = \(total("t#"));
            let squares = \(total("t# * s#"));
            let z = (\(sum("products[#] * s#", upper: false))) + (\(sum("products[#] * s#", upper: true)));
            let source_variance = max(squares - sum * sum, 0.0) + \(ReferencePatch.noiseVariance);
            return 1.0 - ((z.x + z.y) + (z.z + z.w)) / sqrt(variance * source_variance);
        }

        """
    }

    // MARK: Costs

    private static let costs = """
        fn at_infinity(view: u32) -> vec4f {
            return level.sources[view].mx * pixel.x + level.sources[view].my * pixel.y + level.sources[view].m1;
        }
        fn patch_cost(view: u32, plane: vec4f) -> f32 {
            let b = level.sources[view].b;
            let q = at_infinity(view) + b * plane.x;
            if (!(q.z > 0.05 && q.z < 20.0)) { return unseen; }
            let inverse = 1.0 / q.z;
            let x = q.x * inverse;
            let y = q.y * inverse;
            let dx = level.sources[view].mx + b * plane.y;
            let dy = level.sources[view].my + b * plane.z;
            let jx = vec2f((dx.x - x * dx.z) * inverse, (dy.x - x * dy.z) * inverse);
            let jy = vec2f((dx.y - y * dx.z) * inverse, (dy.y - y * dy.z) * inverse);
            // The movement of a sample whose inverse depth differs from the plane's.
            let bend = vec2f((b.x - x * b.z) * inverse, (b.y - y * b.z) * inverse);
            let reach_x = \(ReferencePatch.radius) * (abs(jx.x) + abs(jx.y)) + largest_bend * abs(bend.x);
            let reach_y = \(ReferencePatch.radius) * (abs(jy.x) + abs(jy.y)) + largest_bend * abs(bend.y);
            let at = vec2f(x, y) + vec2f(\(Float(StereoImage.border)));
            let bounds = level.sources[view].bounds;
            if (!(at.x - reach_x >= bounds.x && at.y - reach_y >= bounds.y && at.x + reach_x <= bounds.z && at.y + reach_y <= bounds.w)) {
                return unseen;
            }
            let area = jx.x * jy.y - jx.y * jy.x;
            if (!(area > 0.1 && reach_x < 20.0 && reach_y < 20.0)) { return unseen; }
            return correlation_cost(at, jx, jy, bend, level.sources[view].image);
        }
        fn consistency_cost(view: u32, w: f32) -> f32 {
            let map = level.sources[view].map;
            if (map.w == 0u) { return 0.0; }
            let most = \(PatchMatch.consistencyWeight * PatchMatch.consistencyLimit);
            let there = at_infinity(view) + level.sources[view].b * w;
            if (!(there.z > 0.05)) { return most; }
            let scale = level.sources[view].scale.x;
            let x = (there.x / there.z + 0.5) * scale;
            let y = (there.y / there.z + 0.5) * scale;
            let column = u32(min(max(x, 0.0), f32(map.y - 1u)));
            let row = u32(min(max(y, 0.0), f32(map.z - 1u)));
            let known = depths[map.x + row * map.y + column];
            if (!(known > 0.0)) { return most; }
            let back = level.sources[view].back_mx * (x - 0.5) + level.sources[view].back_my * (y - 0.5) + level.sources[view].back_m1
                + level.sources[view].back_b * known;
            if (!(back.z > 0.0)) { return most; }
            let ex = back.x / back.z - pixel.x;
            let ey = back.y / back.z - pixel.y;
            return \(PatchMatch.consistencyWeight) * min(sqrt(ex * ex + ey * ey), \(PatchMatch.consistencyLimit));
        }
        fn view_cost(view: u32, plane: vec4f) -> f32 {
            let cost = patch_cost(view, plane);
            return min(cost + consistency_cost(view, plane.x), unseen);
        }
        fn code(cost: f32) -> u32 { return select(u32(max(cost, 0.0) * 127.0), 255u, cost >= unseen); }
        fn prior_cost(prior: vec2f, w: f32, step: f32) -> f32 {
            if (!(prior.y > 0.0)) { return 0.0; }
            return prior.y * min(abs(w - prior.x) / step, 3.0);
        }

        var<private> scores: array<f32, \(DepthEstimator.maximumSources)>;
        var<private> order: array<u32, \(mostViewsPerPixel)>;
        // The indices of the highest scores, the highest first; returns their number.
        fn order_views() -> u32 {
            let count = min(level.size.w, level.size.z);
            var filled = 0u;
            for (var view = 0u; view < level.size.z; view++) {
                let score = scores[view];
                var rank = filled;
                while (rank > 0u && scores[order[rank - 1u]] < score) { rank--; }
                if (rank >= count) { continue; }
                for (var last = min(filled, count - 1u); last > rank; last--) { order[last] = order[last - 1u]; }
                order[rank] = view;
                filled = min(filled + 1u, count);
            }
            return filled;
        }
        fn add_scores(index: u32) {
            if (!is_active(index)) { return; }
            for (var view = 0u; view < level.size.z; view++) { scores[view] += goodness(cost_code(index, view)); }
        }
        var<private> view_weights: array<f32, \(mostViewsPerPixel)>;
        // No source observes the pixel or one beside it. The processor's weights and costs are then not numbers, which makes it accept each plausible
        // plane: a random search until a source observes one.
        var<private> is_unseen: bool;
        // Selects the sources that observe the pixel: see PatchMatch.chooseViews.
        fn choose_views(x: u32, y: u32) -> u32 {
            let index = y * level.size.x + x;
            for (var view = 0u; view < level.size.z; view++) {
                let own = cost_code(index, view);
                scores[view] = 2.0 * goodness(own) + 1e-4 * f32(255u - own) / 255.0;
            }
            if (x > 0u) { add_scores(index - 1u); }
            if (x + 1u < level.size.x) { add_scores(index + 1u); }
            if (y > 0u) { add_scores(index - level.size.x); }
            if (y + 1u < level.size.y) { add_scores(index + level.size.x); }
            var count = order_views();
            let enough = scores[order[0]] * 0.2;
            while (count > 2u && scores[order[count - 1u]] < enough) { count--; }
            var sum = 0.0;
            for (var rank = 0u; rank < count; rank++) { sum += scores[order[rank]]; }
            is_unseen = sum == 0.0;
            if (is_unseen) { sum = 1.0; }
            for (var rank = 0u; rank < count; rank++) { view_weights[rank] = scores[order[rank]] / sum; }
            return count;
        }
        // Writes the codes of the costs in `scores`.
        fn store_codes(index: u32) {
            for (var word = 0u; word < words_per_pixel(); word++) {
                var codes = 0u;
                for (var view = 4u * word; view < min(4u * word + 4u, level.size.z); view++) {
                    codes |= code(scores[view]) << (8u * (view & 3u));
                }
                view_costs[index * words_per_pixel() + word] = codes;
            }
        }

        """

    // MARK: Planes

    private static let planes = """
        fn direction(plane: vec4f, ray: vec3f) -> vec3f {
            let a = plane.y * level.camera.x;
            let b = plane.z * level.camera.y;
            return vec3f(a, b, plane.x - a * ray.x - b * ray.y);
        }
        fn is_plausible(plane: vec4f, ray: vec3f) -> bool {
            let across = direction(plane, ray);
            return plane.x >= level.range.x && plane.x <= level.range.y && plane.x * plane.x > 0.03 * dot(across, across) * dot(ray, ray);
        }
        fn plane_at(w: f32, direction: vec3f, ray: vec3f) -> vec4f {
            let scale = w / dot(direction, ray);
            return vec4f(w, direction.x * scale / level.camera.x, direction.y * scale / level.camera.y, 0.0);
        }

        var<private> random_state: u32;
        fn seed_random(seed: u32, index: u32) {
            var state = (seed * 0x9E3779B9u) ^ (index * 0x85EBCA6Bu);
            state = (state ^ (state >> 16u)) * 0x7FEB352Du;
            state = (state ^ (state >> 15u)) * 0x846CA68Bu;
            state ^= state >> 16u;
            random_state = select(state, 1u, state == 0u);
        }
        fn random() -> f32 {
            random_state ^= random_state << 13u;
            random_state ^= random_state >> 17u;
            random_state ^= random_state << 5u;
            return f32(bitcast<i32>(random_state) >> 8u) * \(Float(1.0 / 8_388_608));
        }
        fn random_vector() -> vec3f {
            let x = random();
            let y = random();
            let z = random();
            return vec3f(x, y, z);
        }

        var<private> lowest: f32;
        var<private> nearest: vec2i;
        fn look(x: i32, y: i32, dx: i32, dy: i32) {
            let at = vec2i(x + dx, y + dy);
            if (at.x < 0 || at.y < 0 || at.x >= i32(level.size.x) || at.y >= i32(level.size.y)) { return; }
            let index = u32(at.y) * level.size.x + u32(at.x);
            if (!is_active(index)) { return; }
            let cost = planes[index].w;
            if (cost < lowest) {
                lowest = cost;
                nearest = vec2i(dx, dy);
            }
        }

        """

    // MARK: Entry points

    private static let entryPoints = """
        // Computes the costs of the planes.
        @compute @workgroup_size(\(groupSide), \(groupSide))
        fn evaluate(@builtin(global_invocation_id) id: vec3u) {
            let x = id.x;
            let y = id.y + sweep.rows.x;
            if (x >= level.size.x || y >= sweep.rows.y) { return; }
            let index = y * level.size.x + x;
            if (!is_active(index)) { return; }
            pixel = vec2f(f32(x), f32(y));
            load_patch(x, y);
            let plane = planes[index];
            for (var view = 0u; view < level.size.z; view++) { scores[view] = view_cost(view, plane); }
            store_codes(index);
            for (var view = 0u; view < level.size.z; view++) { scores[view] = -scores[view]; }
            let count = order_views();
            var sum = 0.0;
            for (var rank = 0u; rank < count; rank++) { sum -= scores[order[rank]]; }
            planes[index].w = sum / f32(count);
        }

        var<private> trial: array<f32, \(mostViewsPerPixel)>;
        var<private> won: array<f32, \(mostViewsPerPixel)>;
        // Tries the neighbours' planes and small changes of the pixel's own: see PatchMatch.visit.
        @compute @workgroup_size(\(groupSide), \(groupSide))
        fn visit(@builtin(global_invocation_id) id: vec3u) {
            let y = id.y + sweep.rows.x;
            let x = 2u * id.x + ((y + sweep.rows.z) & 1u);
            if (x >= level.size.x || y >= sweep.rows.y) { return; }
            let index = y * level.size.x + x;
            if (!is_active(index)) { return; }
            pixel = vec2f(f32(x), f32(y));
            load_patch(x, y);
            let count = choose_views(x, y);
            let ray = vec3f((pixel - level.camera.zw) / level.camera.xy, 1.0);
            let start = planes[index];
            var best = start;
            var best_cost = 0.0;
            for (var rank = 0u; rank < count; rank++) {
                let known = cost_code(index, order[rank]);
                best_cost += view_weights[rank] * select(f32(known) * \(Float(1.0 / 127)), unseen, known == 255u);
            }
            // The inverse depth of one pixel in the best source.
            let b = level.sources[order[0]].b;
            let q = at_infinity(order[0]) + b * start.x;
            let shift = vec2f(b.x * q.z - b.z * q.x, b.y * q.z - b.z * q.y);
            let pixels_per_inverse = max(sqrt(shift.x * shift.x + shift.y * shift.y) / (q.z * q.z), 1e-12);
            let step = min(1.0 / pixels_per_inverse, level.range.y);
            var prior = vec2f(0.0);
            if (level.reference.w != 0u) { prior = priors[index]; }
            best_cost += prior_cost(prior, start.x, step);
            seed_random(level.reference.z + sweep.tries.w * 7919u, index);

            // In each of four directions the best near and the best distant neighbour; a random plane; random steps.
            for (var hypothesis = 0u; hypothesis < 9u + sweep.tries.y; hypothesis++) {
                var plane: vec4f;
                if (hypothesis < 8u) {
                    let direction = hypothesis >> 1u;
                    let ux = select(select(0, -1, direction == 1u), 1, direction == 0u);
                    let uy = select(select(0, -1, direction == 3u), 1, direction == 2u);
                    lowest = highest;
                    if ((hypothesis & 1u) == 0u) {
                        look(i32(x), i32(y), ux, uy);
                        for (var along = 2; along < 5; along++) {
                            look(i32(x), i32(y), ux * along + uy * (along - 1), uy * along + ux * (along - 1));
                            look(i32(x), i32(y), ux * along - uy * (along - 1), uy * along - ux * (along - 1));
                        }
                    } else {
                        for (var along = 1; along <= i32(sweep.tries.x); along++) {
                            look(i32(x), i32(y), ux * (2 * along + 1), uy * (2 * along + 1));
                        }
                    }
                    if (lowest >= highest) { continue; }
                    plane = planes[u32(i32(y) + nearest.y) * level.size.x + u32(i32(x) + nearest.x)];
                    plane.x -= plane.y * f32(nearest.x) + plane.z * f32(nearest.y);
                    // The estimate of the curvature reaches eight pixels.
                    if (dot(nearest, nearest) <= 64) {
                        let offset = vec2f(nearest);
                        let turn = vec2f(
                            curvature.x * offset.x + curvature.y * offset.y, curvature.y * offset.x + curvature.z * offset.y);
                        plane.x += 0.5 * (turn.x * offset.x + turn.y * offset.y);
                        plane.y -= turn.x;
                        plane.z -= turn.y;
                    }
                    let change = abs(plane - best);
                    // Nearly the same plane: small changes reach it.
                    if (change.x < 0.02 * step && (change.y + change.z) * \(ReferencePatch.radius) < 0.04 * step) { continue; }
                } else if (hypothesis == 8u) {
                    if (sweep.tries.z == 0u) { continue; }
                    let share = 0.5 * (random() + 1.0);
                    let w = level.range.x + share * (level.range.y - level.range.x);
                    plane = plane_at(w, ray + random_vector() * sqrt(dot(ray, ray)), ray);
                } else {
                    let size = sweep.steps[hypothesis - 9u];
                    plane = best;
                    plane.x += size.x * step * random();
                    if (size.y > 0.0) {
                        let across = direction(best, ray);
                        plane = plane_at(plane.x, across + random_vector() * (size.y * sqrt(dot(across, across))), ray);
                    }
                }

                if (!is_plausible(plane, ray)) { continue; }
                let limit = best_cost - 1e-4;
                var sum = prior_cost(prior, plane.x, step);
                for (var rank = 0u; rank < count; rank++) {
                    trial[rank] = consistency_cost(order[rank], plane.x);
                    sum += view_weights[rank] * trial[rank];
                }
                var rank = 0u;
                // The remaining costs cannot make it better than the best plane.
                while ((is_unseen || sum < limit) && rank < count) {
                    let cost = patch_cost(order[rank], plane);
                    trial[rank] += cost;
                    sum += view_weights[rank] * cost;
                    rank++;
                }
                if (!(is_unseen || sum < limit)) { continue; }
                best = plane;
                best_cost = sum;
                for (var rank = 0u; rank < count; rank++) { won[rank] = trial[rank]; }
            }

            let is_new = best.x != start.x || best.y != start.y || best.z != start.z;
            planes[index] = vec4f(best.xyz, select(best_cost, highest, is_unseen));
            if (!is_new || sweep.rows.w == 0u) { return; }
            for (var view = 0u; view < level.size.z; view++) { scores[view] = -1.0; }
            for (var rank = 0u; rank < count; rank++) { scores[order[rank]] = won[rank]; }
            for (var view = 0u; view < level.size.z; view++) {
                if (scores[view] == -1.0) { scores[view] = view_cost(view, best); }
            }
            store_codes(index);
        }

        """
}
