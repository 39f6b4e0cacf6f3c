// 5 0 found std
static std::string text = std::to_string(idx);
distance[0] = (int)text.size();
